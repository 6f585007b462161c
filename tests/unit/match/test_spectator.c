// SPDX-License-Identifier: MIT
// Spectators: they receive their players' view and the events, delayed, and have no effect on the
// match.
#include "match_internal.h"
#include "peer_fixture.h"
#include "watch.h"

#include <math.h>

// --- What they see ---

static bool is_in_view(const struct raim_match_def *def, raim_vec2 eye, raim_vec2 point)
{
    return fabs(point.x - eye.x) <= def->view_width / 2.0 &&
           fabs(point.y - eye.y) <= def->view_height / 2.0;
}

// The newest frame of a spectator equals the world of its tick, is complete, and contains no player
// that its player had not received then.
static void assert_sees_what_its_player_saw(struct test_match *test, struct peer *spectator,
                                            struct peer *player)
{
    const uint32_t now = spectator->newest;
    const uint32_t slot = player->welcome.player % RAIM_WIRE_PLAYERS;
    const raim_player *truth = test->truth[now % KEPT], *self = &truth[slot];
    const struct raim_wire_frame *frame = frame_at(spectator, now);
    const struct raim_wire_frame *shown = frame_at(player, now);
    assert_int_equal(frame->self.slot, slot);
    assert_false(frame->self.steers);
    assert_int_equal(frame->self.alive, self->state == RAIM_PLAYER_ALIVE);
    assert_int_equal(frame->self.shots, self->shots % 256);
    assert_int_equal(frame->self.hits, self->hits % 256);
    assert_int_equal(frame->self.margin, 0);
    for (uint32_t i = 0; i < spectator->limits.players; i++) {
        const bool alive = truth[i].state == RAIM_PLAYER_ALIVE;
        if (!raim_set_has(frame->seen_players, i)) {
            assert_false(alive && !test->def.sight &&
                         is_in_view(&test->def, self->position, truth[i].position));
            continue;
        }
        assert_true(alive);
        assert_true(frame->players[i].x == truth[i].position.x * RAIM_WIRE_UNITS);
        assert_true(frame->players[i].y == truth[i].position.y * RAIM_WIRE_UNITS);
        assert_int_equal(frame->players[i].aim, (truth[i].aim + 32) >> 6 & 1023);
        assert_true(shown == NULL || raim_set_has(shown->seen_players, i));
    }
    for (uint32_t i = 0; shown != NULL && i < raim_wire_bullets(&spectator->limits); i++)
        if (raim_set_has(frame->seen_bullets, i)) {
            assert_true(raim_set_has(shown->seen_bullets, i));
            assert_int_equal(frame->bullets[i].aim, shown->bullets[i].aim);
        }
}

static void watch_and_compare(bool sight, uint32_t delay_ticks)
{
    struct raim_match_def def = usual_def();
    def.bots = 8;
    def.sight = sight;
    def.spectator_delay_s = delay_ticks / 60.0;
    struct test_match *test = open_test_match(def);
    struct peer *player = play(test, 0);
    play(test, 1);
    ticks(test, 5);
    struct peer *spectator = watch(test, 2, player->welcome.player);
    for (int i = 0; i < 2000; i++) {
        const uint32_t before = spectator->snapshots;
        tick(test);
        if (spectator->snapshots > before)
            assert_sees_what_its_player_saw(test, spectator, player);
    }
    assert_true(spectator->snapshots > 1000);
    assert_int_equal(spectator->welcome.player, 0);
    assert_int_equal(spectator->welcome.delay_ticks, delay_ticks);
    assert_true(counts(test).players == 2 && counts(test).bots == 8);
    assert_int_equal(counts(test).spectators, 1);
    close_test_match(test);
}

TEST(a_spectator_sees_what_its_player_sees_and_nothing_more)
{
    for (uint32_t delay_ticks = 0; delay_ticks <= DELAY_TICKS; delay_ticks += DELAY_TICKS) {
        watch_and_compare(false, delay_ticks);
        watch_and_compare(true, delay_ticks);
    }
}

TEST(the_first_late_spectator_waits_for_the_past_and_the_next_does_not)
{
    struct test_match *test = open_test_match(usual_def());
    play(test, 0);
    ticks(test, 500);
    struct peer *first = watch(test, 1, 0);
    ticks(test, DELAY_TICKS);
    assert_false(first->any);
    ticks(test, 1);
    assert_true(first->any);
    struct peer *second = watch(test, 2, 0);
    ticks(test, 2);
    assert_true(second->any);
    assert_true(frame_at(second, second->newest)->self.alive);
    // Without spectators no history is recorded.
    leave(test, 1);
    leave(test, 2);
    ticks(test, 10);
    struct peer *third = watch(test, 1, 0);
    ticks(test, DELAY_TICKS);
    assert_false(third->any);
    ticks(test, 1);
    assert_true(third->any);
    close_test_match(test);
}

// --- Events ---

static void assert_roster_is_right(const struct test_match *test, const struct peer *peer)
{
    struct raim_match_player rows[SLOTS];
    const uint32_t count = raim_match_players(test->match, rows, SLOTS);
    uint32_t members = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        members += peer->roster[slot].player != 0;
    assert_int_equal(members, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct raim_roster_entry *entry = &peer->roster[raim_player_slot(rows[i].id)];
        assert_int_equal(entry->player, rows[i].id);
        assert_int_equal(entry->score, rows[i].score);
        assert_int_equal(entry->deaths, rows[i].deaths);
        assert_string_equal(entry->name, rows[i].name);
    }
}

static void assert_same_entry(const struct raim_roster_entry *a, const struct raim_roster_entry *b)
{
    assert_int_equal(a->player, b->player);
    assert_int_equal(a->score, b->score);
    assert_int_equal(a->deaths, b->deaths);
    assert_string_equal(a->name, b->name);
}

static void assert_same_event(const struct raim_wire_event *a, const struct raim_wire_event *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->player, b->player);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->victim, b->victim);
    assert_int_equal(a->score, b->score);
    assert_int_equal(a->deaths, b->deaths);
    assert_same_entry(&a->entry, &b->entry);
}

TEST(events_come_as_late_as_the_view_and_none_is_lost)
{
    static struct raim_roster_entry rosters[KEPT][SLOTS]; // of a live client, by tick
    struct raim_match_def def = usual_def();
    def.bots = 12;
    def.tuning.max_players = 9; // room for all of them
    struct test_match *test = open_test_match(def);
    struct peer *live = play(test, 0), *late = NULL;
    uint32_t joined = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        const uint32_t handle = (uint32_t)chance_int(2, 9);
        if (i % 7 == 0 && test->peers[handle].open) // people come and go
            leave(test, handle);
        else if (i % 7 == 0)
            play(test, handle);
        if (i == 300)
            late = watch(test, 1, 0);
        tick(test);
        const uint32_t now = raim_match_tick(test->match);
        joined = i == 300 ? now : joined;
        assert_roster_is_right(test, live);
        memcpy(rosters[now % KEPT], live->roster, sizeof live->roster);
        // Differences between its roster and older events have settled by now.
        for (uint32_t slot = 0; i > 300 + DELAY_TICKS && slot < SLOTS; slot++)
            assert_same_entry(&late->roster[slot], &rosters[(now - DELAY_TICKS) % KEPT][slot]);
    }
    const uint32_t skipped = late->welcome.event_sequence - live->welcome.event_sequence;
    assert_int_equal(late->roster_sent, late->welcome.roster_count);
    assert_true(late->received_count > 500 && skipped > 0);
    assert_true(live->received[skipped].tick + DELAY_TICKS > joined);
    assert_true(live->received[skipped - 1].tick + DELAY_TICKS <= joined);
    for (uint32_t i = 0; i < late->received_count; i++) {
        assert_int_equal(live->received[skipped + i].event_tick, live->received[skipped + i].tick);
        assert_int_equal(late->received[i].tick, live->received[skipped + i].tick);
        assert_same_event(&late->received[i].event, &live->received[skipped + i].event);
    }
    close_test_match(test);
}

// --- The watched player ---

static uint32_t watched_slot(struct peer *peer)
{
    assert_true(peer->any);
    return frame_at(peer, peer->newest)->self.slot;
}

static uint32_t best_slot(const struct test_match *test)
{
    struct raim_match_player rows[SLOTS];
    const uint32_t count = raim_match_players(test->match, rows, SLOTS);
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (rows[i].score > rows[best].score)
            best = i;
    return raim_player_slot(rows[best].id);
}

TEST(a_target_is_served_and_an_unknown_one_is_the_best)
{
    struct raim_match_def def = usual_def();
    def.bots = 6;
    def.tuning.max_spectators = 10;
    def.spectator_delay_s = 0;
    struct test_match *test = open_test_match(def);
    struct peer *player = play(test, 0);
    ticks(test, 1200);
    struct raim_match_player rows[SLOTS];
    raim_match_players(test->match, rows, SLOTS);
    const uint32_t best = best_slot(test);
    const uint32_t targets[] = {
        player->welcome.player,
        rows[3].id,                                // a bot
        0,                                         // whoever
        (rows[3].id + RAIM_WIRE_PLAYERS) & 0xffff, // another generation of that slot
        13,                                        // an id without a generation is never used
        0xffff,                                    // a slot beyond the arena
    };
    const uint32_t slots[] = {player->welcome.player % RAIM_WIRE_PLAYERS,
                              raim_player_slot(rows[3].id),
                              best,
                              best,
                              best,
                              best};
    assert_true(rows[3].bot);
    for (uint32_t i = 0; i < 6; i++)
        watch(test, i + 1, targets[i]);
    ticks(test, 2);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(watched_slot(&test->peers[i + 1]), slots[i]);
    close_test_match(test);
}

static void leave_and_see_the_best(uint32_t delay_ticks)
{
    struct raim_match_def def = usual_def();
    def.bots = 6;
    def.spectator_delay_s = delay_ticks / 60.0;
    struct test_match *test = open_test_match(def);
    struct peer *player = play(test, 0);
    ticks(test, 600);
    const uint32_t target = player->welcome.player, slot = target % RAIM_WIRE_PLAYERS;
    struct peer *spectator = watch(test, 1, target);
    ticks(test, 300);
    assert_int_equal(watched_slot(spectator), slot);
    leave(test, 0);
    for (uint32_t i = 0; i < delay_ticks; i++) {
        tick(test);
        assert_int_equal(watched_slot(spectator), slot); // it has not left yet
    }
    // A spectator that receives the event now switches to the present best player.
    const uint32_t best = best_slot(test);
    ticks(test, 7);
    assert_true(watched_slot(spectator) == best || best_slot(test) != best);
    assert_int_not_equal(watched_slot(spectator), slot);
    close_test_match(test);
}

TEST(when_the_watched_one_leaves_the_best_is_shown)
{
    leave_and_see_the_best(0);
    leave_and_see_the_best(DELAY_TICKS);
}

static void watch_an_empty_match(uint32_t delay_ticks, uint32_t target)
{
    struct raim_match_def def = usual_def();
    def.spectator_delay_s = delay_ticks / 60.0;
    struct test_match *test = open_test_match(def);
    struct peer *spectator = watch(test, 1, target);
    ticks(test, 200);
    assert_int_equal(spectator->welcome.roster_count, 0);
    for (int round = 0; round < 3; round++) {
        // A slot other than the first, which a default would give.
        struct peer *passer = play(test, 2), *player = play(test, 3);
        leave(test, 2);
        (void)passer;
        ticks(test, 3);
        const uint32_t slot = player->welcome.player % RAIM_WIRE_PLAYERS;
        assert_int_equal(slot, 1);
        assert_int_equal(frame_at(spectator, spectator->newest)->self.alive, delay_ticks == 0);
        ticks(test, (int)delay_ticks + 7);
        assert_int_equal(watched_slot(spectator), slot);
        assert_true(frame_at(spectator, spectator->newest)->self.alive);
        leave(test, 3);
        ticks(test, (int)delay_ticks + 8);
        const struct raim_wire_frame *frame = frame_at(spectator, spectator->newest);
        assert_false(frame->self.alive);
        for (uint32_t i = 0; i < spectator->limits.players; i++)
            assert_false(raim_set_has(frame->seen_players, i));
    }
    close_test_match(test);
}

TEST(where_nobody_is_there_is_nothing_to_see_until_somebody_comes)
{
    watch_an_empty_match(0, 0);
    watch_an_empty_match(DELAY_TICKS, 77);
}

// --- Switching ---

static void ask_for(struct test_match *test, uint32_t handle, uint32_t target)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    to_match(test, handle, true, bytes, raim_watch_write(target, bytes, sizeof bytes));
}

static void switch_and_compare(uint32_t delay_ticks)
{
    struct raim_match_def def = usual_def();
    def.bots = 8;
    def.sight = true;
    def.spectator_delay_s = delay_ticks / 60.0;
    struct test_match *test = open_test_match(def);
    struct peer *players[] = {play(test, 0), play(test, 1)};
    ticks(test, 5);
    struct peer *spectator = watch(test, 2, players[0]->welcome.player);
    ticks(test, (int)delay_ticks + 20);
    for (int i = 1; i < 40; i++) {
        struct peer *player = players[i % 2];
        ask_for(test, 2, player->welcome.player);
        for (int j = 0; j < 13; j++) {
            const uint32_t before = spectator->snapshots;
            tick(test);
            assert_true(j > 0 || spectator->snapshots > before); // at once, as late as ever
            assert_int_equal(watched_slot(spectator), player->welcome.player % RAIM_WIRE_PLAYERS);
            if (spectator->snapshots > before)
                assert_sees_what_its_player_saw(test, spectator, player);
            assert_true(spectator->newest + delay_ticks <= raim_match_tick(test->match));
        }
    }
    assert_int_equal(spectator->welcomes, 1);
    close_test_match(test);
}

TEST(a_spectator_switches_at_once_and_sees_what_that_player_sees)
{
    switch_and_compare(0);
    switch_and_compare(DELAY_TICKS);
}

TEST(ten_switches_a_second_are_the_most_and_the_last_wish_counts)
{
    struct raim_match_def def = usual_def();
    def.spectator_delay_s = 0;
    struct test_match *test = open_test_match(def);
    struct peer *players[] = {play(test, 0), play(test, 1)};
    ticks(test, 5);
    struct peer *spectator = watch(test, 2, players[0]->welcome.player);
    ticks(test, 20);
    uint32_t switches = 0, last = watched_slot(spectator);
    for (int i = 0; i < 600; i++) {
        for (int j = 0; j < 5; j++)
            ask_for(test, 2, players[chance_int(0, 1)]->welcome.player);
        tick(test);
        switches += watched_slot(spectator) != last;
        last = watched_slot(spectator);
    }
    assert_in_range(switches, 20, 100);
    ask_for(test, 2, players[0]->welcome.player);
    ask_for(test, 2, players[1]->welcome.player);
    ticks(test, 7);
    assert_int_equal(watched_slot(spectator), players[1]->welcome.player % RAIM_WIRE_PLAYERS);
    close_test_match(test);
}

TEST(a_wish_for_nobody_changes_nothing_and_one_for_whoever_shows_the_best)
{
    struct raim_match_def def = usual_def();
    def.bots = 6;
    def.spectator_delay_s = 0;
    struct test_match *test = open_test_match(def);
    struct peer *player = play(test, 0);
    ticks(test, 1200);
    struct peer *spectator = watch(test, 1, player->welcome.player);
    const uint32_t slot = player->welcome.player % RAIM_WIRE_PLAYERS;
    ticks(test, 10);
    const uint32_t nobodies[] = {player->welcome.player + RAIM_WIRE_PLAYERS, 13, 0xffff};
    for (uint32_t i = 0; i < 3; i++) {
        ask_for(test, 1, nobodies[i] & 0xffff);
        ticks(test, 10);
        assert_int_equal(watched_slot(spectator), slot);
    }
    const uint32_t best = best_slot(test);
    assert_int_not_equal(best, slot);
    ask_for(test, 1, 0);
    tick(test);
    assert_int_equal(watched_slot(spectator), best);
    for (int rejection = 0; rejection < RAIM_REJECTIONS; rejection++)
        assert_int_equal(counts(test).rejected[rejection], 0);
    close_test_match(test);
}

// Also while it is down: no player may see with the eyes of another.
TEST(a_player_cannot_watch_and_a_malformed_wish_is_rejected)
{
    struct raim_match_def def = usual_def();
    def.bots = 12;
    def.spectator_delay_s = 0;
    struct test_match *test = open_test_match(def);
    struct peer *player = play(test, 0);
    struct peer *other = play(test, 1), *spectator = watch(test, 2, 0);
    ticks(test, 3);
    bool was_down = false;
    uint32_t asked = 0;
    for (; asked < 5000 && !was_down; asked++) {
        ask_for(test, 0, other->welcome.player);
        tick(test);
        const struct raim_wire_frame *frame = frame_at(player, player->newest);
        assert_int_equal(frame->self.slot, player->welcome.player % RAIM_WIRE_PLAYERS);
        was_down = !frame->self.alive;
    }
    assert_true(was_down);
    for (int i = 0; i < 10; i++, asked++) {
        ask_for(test, 0, other->welcome.player);
        tick(test);
        assert_int_equal(watched_slot(player), player->welcome.player % RAIM_WIRE_PLAYERS);
    }
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_UNEXPECTED], asked);
    const uint32_t slot = watched_slot(spectator);
    to_match(test, 2, true, (const uint8_t[]){RAIM_MESSAGE_WATCH << 1, 0}, 2);
    to_match(test, 2, true, (const uint8_t[]){RAIM_MESSAGE_WATCH << 1, 0, 0, 0}, 4);
    ticks(test, 10);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MALFORMED], 2);
    assert_int_equal(watched_slot(spectator), slot);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    to_match(test, 2, false, bytes,
             raim_watch_write(other->welcome.player, bytes, sizeof bytes)); // on the wrong channel
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_UNEXPECTED], asked + 1);
    close_test_match(test);
}

// --- Admission and inputs ---

TEST(spectators_have_places_of_their_own)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_players = 1;
    def.tuning.max_spectators = 2;
    def.spectator_delay_s = 0;
    struct test_match *test = open_test_match(def);
    watch(test, 0, 0);
    watch(test, 1, 0);
    play(test, 2);
    struct peer *third = watch(test, 3, 0), *second_player = play(test, 4);
    tick(test);
    assert_true(third->is_over && second_player->is_over);
    assert_int_equal(third->goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(third->goodbye.text, "the arena is full: 2 of 2 spectators");
    assert_string_equal(second_player->goodbye.text, "the arena is full: 1 of 1 players");
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_FULL], 2);
    assert_true(counts(test).spectators == 2 && counts(test).players == 1);
    // A spectator that leaves or is lost frees its slot exactly once.
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_client_goodbye left = {.goodbye = {.reason = RAIM_REASON_LEFT}};
    to_match(test, 0, true, bytes, raim_client_goodbye_write(&left, bytes, sizeof bytes));
    assert_int_equal(counts(test).spectators, 1);
    tick(test);
    leave(test, 0);
    leave(test, 3);
    assert_int_equal(counts(test).spectators, 1);
    struct peer *fourth = watch(test, 3, 0);
    ticks(test, 3);
    assert_true(fourth->any);
    close_test_match(test);
}

static void watch_from(struct test_match *test, uint32_t handle, uint64_t network, uint64_t origin)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES], token[RAIM_TOKEN_BYTES] = {0};
    const struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION, .watch = true, .name = "spectator"};
    test->peers[handle].open = true;
    raim_match_connect(test->match, handle, token);
    raim_match_set_origin(test->match, handle, origin, network);
    to_match(test, handle, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    tick(test);
}

TEST(the_address_with_the_most_spectators_makes_arena)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_spectators = 4;
    struct test_match *test = open_test_match(def);
    for (uint32_t i = 0; i < 4; i++)
        watch_from(test, i, 1, 10);
    watch_from(test, 4, 1, 10);
    assert_int_equal(test->peers[4].goodbye.reason, RAIM_REASON_FULL);
    leave(test, 4);
    watch_from(test, 4, 2, 20);
    assert_int_equal(counts(test).spectators, 4);
    assert_false(test->peers[4].is_over);
    assert_int_equal(test->peers[3].goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(test->peers[3].goodbye.text,
                        "the places of spectators are full, and others of your address or network "
                        "watch, too");
    watch_from(test, 5, 1, 10); // comes back
    assert_int_equal(test->peers[5].goodbye.reason, RAIM_REASON_FULL);
    assert_int_equal(counts(test).spectators, 4);
    close_test_match(test);
}

// Spectators of a network, or of one of its addresses.
static uint32_t count_from(const struct test_match *test, uint64_t network, uint64_t origin)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        const struct raim_connection *client = &test->match->connections[i];
        count += raim_is_spectator(client) && client->network == network &&
                 (origin == 0 || client->origin == origin);
    }
    return count;
}

// Whoever is rejected has, with itself, as many as any other network and as any address of its own.
TEST(places_are_shared_among_networks_and_their_addresses)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_spectators = 6;
    struct test_match *test = open_test_match(def);
    uint32_t rejected = 0, evicted = 0;
    for (int round = 0; round < 2000; round++) {
        const uint32_t handle = (uint32_t)chance_int(0, 7);
        if (test->peers[handle].open) {
            if (test->peers[handle].is_over || chance_int(0, 9) == 0)
                leave(test, handle);
            continue;
        }
        const uint64_t network = (uint64_t)chance_int(1, 3);
        const uint64_t origin = 10 * network + (uint64_t)chance_int(0, 2);
        const uint32_t before = counts(test).spectators;
        watch_from(test, handle, network, origin);
        const bool is_rejected = test->peers[handle].is_over;
        assert_int_equal(counts(test).spectators, before < 6 ? before + 1 : 6);
        assert_true(before == 6 || !is_rejected);
        rejected += is_rejected;
        evicted += !is_rejected && before == 6;
        for (uint64_t other = 1; is_rejected && other <= 3; other++)
            assert_true(count_from(test, other, 0) <= count_from(test, network, 0) + 1);
        for (uint64_t other = 10 * network; is_rejected && other < 10 * network + 3; other++)
            assert_true(count_from(test, network, other) <= count_from(test, network, origin) + 1);
    }
    assert_true(rejected > 50 && evicted > 50);
    close_test_match(test);
}

TEST(a_match_may_have_no_spectators)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_spectators = 0;
    def.bots = 4;
    struct test_match *test = open_test_match(def);
    struct peer *peer = watch(test, 0, 0);
    ticks(test, 200);
    assert_int_equal(peer->goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(peer->goodbye.text, "the arena is full: 0 of 0 spectators");
    close_test_match(test);
}

static void watch_and_press(uint32_t delay_ticks)
{
    struct raim_match_def def = usual_def();
    def.spectator_delay_s = delay_ticks / 60.0;
    struct test_match *test = open_test_match(def);
    struct peer *player = play(test, 0);
    ticks(test, 3);
    player->is_over = true; // it sends no more inputs
    struct peer *spectator = watch(test, 1, player->welcome.player);
    ticks(test, 60);
    const uint32_t slot = player->welcome.player % RAIM_WIRE_PLAYERS;
    const raim_player *self = &raim_world_players_const(raim_match_world(test->match))[slot];
    const raim_player before = *self;
    const struct raim_match_counts counted = counts(test);
    for (int i = 0; i < 200; i++) {
        const uint32_t now = raim_match_tick(test->match);
        tick(test);
        send_input(test, 1, now - 5, false, 0); // for no tick at all
        send_input(test, 1, now + 500, false, 0);
    }
    assert_true(spectator->any);
    assert_memory_equal(&self->position, &before.position, sizeof before.position);
    assert_int_equal(self->aim, before.aim);
    assert_int_equal(self->shots, before.shots);
    assert_memory_equal(counted.rejected, counts(test).rejected, sizeof counted.rejected);
    close_test_match(test);
}

TEST(a_spectator_steers_nobody)
{
    watch_and_press(0);
    watch_and_press(DELAY_TICKS);
}

static void watch_and_harm(uint32_t delay_ticks)
{
    struct raim_match_def def = usual_def();
    def.spectator_delay_s = delay_ticks / 60.0;
    struct test_match *test = open_test_match(def);
    play(test, 0);
    struct peer *spectator = watch(test, 1, 0);
    ticks(test, 300);
    const uint32_t now = raim_match_tick(test->match), seen = now - delay_ticks;
    // Snapshots that it was never sent: of the future, and of ticks that it does not see yet.
    send_input(test, 1, now, true, now + 1);
    send_input(test, 1, now, true, seen + 0x7ffe);
    send_input(test, 1, now, true, seen + 1);
    send_input(test, 1, now, true, spectator->newest + 1);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_ACK], 4);
    // Old ones are ignored.
    send_input(test, 1, now, true, seen - 100);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_ACK], 4);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_hello again = {
        .version = RAIM_PROTOCOL_VERSION, .watch = true, .name = "again"};
    to_match(test, 1, true, bytes, raim_hello_write(&again, bytes, sizeof bytes));
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_UNEXPECTED], 1);
    to_match(test, 1, false, (const uint8_t[]){RAIM_MESSAGE_INPUT << 1, 1}, 2);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MALFORMED], 1);
    assert_int_equal(counts(test).spectators, 1);
    ticks(test, 100);
    assert_true(spectator->newest + delay_ticks + 10 > raim_match_tick(test->match));
    close_test_match(test);
}

TEST(hostile_spectators_are_rejected_and_counted)
{
    watch_and_harm(0);
    watch_and_harm(DELAY_TICKS);
}

TEST(many_come_and_go_and_are_counted_right)
{
    struct raim_match_def def = usual_def();
    def.bots = 3;
    def.tuning.max_spectators = 5;
    def.spectator_delay_s = 0.1;
    struct test_match *test = open_test_match(def);
    for (int i = 0; i < 4000; i++) {
        const uint32_t handle = (uint32_t)chance_int(0, PEERS - 1);
        if (test->peers[handle].open)
            leave(test, handle);
        else if (chance_int(0, 2) == 0)
            play(test, handle);
        else
            watch(test, handle, (uint32_t)chance_int(0, 1) * (uint32_t)chance_int(0, 65535));
        if (chance_int(0, 2) == 0)
            tick(test);
        if (i % 400 == 399) {
            raim_match_shutdown(test->match);
            deliver(test);
            assert_true(counts(test).players == 0 && counts(test).spectators == 0);
        }
        uint32_t playing = 0, watching = 0;
        for (uint32_t j = 0; j < PEERS; j++) {
            const struct peer *peer = &test->peers[j];
            const bool in = peer->open && peer->welcome_sent && !peer->is_over;
            playing += in && peer->welcome.player != 0;
            watching += in && peer->welcome.player == 0;
        }
        // Clients that joined since the last tick have their player already, but no WELCOME yet.
        assert_true(counts(test).players >= playing && counts(test).players <= 8);
        assert_true(counts(test).spectators >= watching && counts(test).spectators <= 5);
    }
    tick(test);
    for (uint32_t i = 0; i < PEERS; i++)
        leave(test, i);
    assert_true(counts(test).players == 0 && counts(test).spectators == 0);
    assert_int_equal(counts(test).bots, 3);
    close_test_match(test);
}
