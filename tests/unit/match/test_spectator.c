// SPDX-License-Identifier: MIT
// Spectators: they receive their players' view and the events, delayed, and have no effect on the
// match.
#include "match_internal.h"
#include "peer_fixture.h"

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
    assert_true(a->player == b->player && a->score == b->score && a->deaths == b->deaths);
    assert_string_equal(a->name, b->name);
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
        uint8_t one[RAIM_MAX_EVENT_BYTES], other[RAIM_MAX_EVENT_BYTES];
        const size_t size = raim_event_write(&late->received[i].event, one);
        assert_int_equal(raim_event_write(&live->received[skipped + i].event, other), size);
        assert_memory_equal(one, other, size);
    }
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
    struct test_match *test = open_test_match(live(with_spectators(with_bots(usual_def(), 6), 10)));
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
}

static void leave_and_see_the_best(uint32_t delay_ticks)
{
    struct test_match *test =
        open_test_match(with_delay(with_bots(usual_def(), 6), delay_ticks / 60.0));
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
}

TEST(when_the_watched_one_leaves_the_best_is_shown)
{
    leave_and_see_the_best(0);
    leave_and_see_the_best(DELAY_TICKS);
}

static void watch_an_empty_match(uint32_t delay_ticks, uint32_t target)
{
    struct test_match *test = open_test_match(with_delay(usual_def(), delay_ticks / 60.0));
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
    to_match(test, handle, true, bytes,
             raim_watch_write(&(struct raim_watch){target}, bytes, sizeof bytes));
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
}

TEST(a_spectator_switches_at_once_and_sees_what_that_player_sees)
{
    switch_and_compare(0);
    switch_and_compare(DELAY_TICKS);
}

TEST(ten_switches_a_second_are_the_most_and_the_last_wish_counts)
{
    struct test_match *test = open_test_match(live(usual_def()));
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
}

TEST(a_wish_for_nobody_changes_nothing_and_one_for_whoever_shows_the_best)
{
    struct test_match *test = open_test_match(live(with_bots(usual_def(), 6)));
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
}

// Also while it is down: no player may see with the eyes of another.
TEST(a_player_cannot_watch_and_a_malformed_wish_is_rejected)
{
    struct test_match *test = open_test_match(live(with_bots(usual_def(), 12)));
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
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), asked);
    const uint32_t slot = watched_slot(spectator);
    to_match(test, 2, true, (const uint8_t[]){RAIM_MESSAGE_WATCH << 1, 0}, 2);
    to_match(test, 2, true, (const uint8_t[]){RAIM_MESSAGE_WATCH << 1, 0, 0, 0}, 4);
    ticks(test, 10);
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 2);
    assert_int_equal(watched_slot(spectator), slot);
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    to_match(test, 2, false, bytes,
             raim_watch_write(&(struct raim_watch){other->welcome.player}, bytes,
                              sizeof bytes)); // on the wrong channel
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), asked + 1);
}
