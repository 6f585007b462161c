// SPDX-License-Identifier: MIT
// Sessions: a client that loses its connection resumes the same player by a token within the grace
// time.
#include "seat_fixture.h"

#include "match_internal.h"

enum { GRACE_TICKS = 120 }; // of 2 s

static struct raim_match_def session_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = GRACE_TICKS / 60.0;
    return def;
}

// A table with two players: the guest in seat 0 and the witness in seat 1.
static struct table *open_two(struct raim_match_def def)
{
    struct table *table = open_table(def);
    play(table, 0);
    play(table, 1);
    ticks(table, 10);
    assert_true(table->seats[0].any && table->seats[1].any);
    return table;
}

static struct seat *resume(struct table *table, uint32_t handle, const uint8_t *token)
{
    struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION,
        .resume = true,
        .name = "player",
    };
    memcpy(hello.token, token, sizeof hello.token);
    return connect_seat(table, handle, &hello);
}

static raim_player *player_of(const struct table *table, uint32_t id)
{
    return &raim_world_players(table->match->world)[raim_player_slot((raim_player_id)id)];
}

// The row of a player; its id is RAIM_NOBODY where there is none.
static struct raim_match_player row_of(const struct table *table, uint32_t id)
{
    struct raim_match_player rows[SLOTS];
    const uint32_t count = raim_match_players(table->match, rows, SLOTS);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].id == id)
            return rows[i];
    return (struct raim_match_player){.id = RAIM_NOBODY};
}

// How often a seat received that a player joined, or left with a reason.
static int received_joins(const struct seat *seat, uint32_t id)
{
    int count = 0;
    for (uint32_t i = 0; i < seat->received_count; i++)
        count += seat->received[i].event.kind == RAIM_WIRE_JOINED &&
                 seat->received[i].event.player == id;
    return count;
}

static int received_leaves(const struct seat *seat, uint32_t id, uint32_t reason)
{
    int count = 0;
    for (uint32_t i = 0; i < seat->received_count; i++)
        count += seat->received[i].event.kind == RAIM_WIRE_LEFT &&
                 seat->received[i].event.player == id && seat->received[i].event.reason == reason;
    return count;
}

TEST(a_welcome_tells_the_token_and_the_time_that_it_is_good_for)
{
    struct table *table = open_two(session_def());
    struct seat *watcher = watch(table, 2, 0);
    ticks(table, 3);
    const struct raim_welcome *first = &table->seats[0].welcome;
    const struct raim_welcome *second = &table->seats[1].welcome;
    const uint8_t zero[RAIM_TOKEN_BYTES] = {0};
    assert_memory_equal(first->token, table->match->members[0].token, RAIM_TOKEN_BYTES);
    assert_memory_not_equal(first->token, second->token, RAIM_TOKEN_BYTES);
    assert_memory_equal(watcher->welcome.token, zero, RAIM_TOKEN_BYTES);
    assert_int_equal(first->grace_s, 2);
    assert_int_equal(first->max_rewind, 12);
    close_table(table);
}

TEST(who_was_lost_comes_back_to_the_same_player)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome before = table->seats[0].welcome;
    player_of(table, before.player)->score = 7;
    player_of(table, before.player)->deaths = 3;
    stand_up(table, 0);
    ticks(table, GRACE_TICKS - 1);
    assert_true(row_of(table, before.player).away);
    struct seat *again = resume(table, 5, before.token);
    assert_false(row_of(table, before.player).away);
    assert_int_equal(row_of(table, before.player).client, 5);
    ticks(table, GRACE_TICKS);
    assert_int_equal(again->welcome.player, before.player);
    assert_memory_equal(again->welcome.token, before.token, RAIM_TOKEN_BYTES);
    assert_true(again->any && frame_at(again, again->newest)->self.steers);
    const struct raim_roster_entry *entry = &again->roster[before.player % RAIM_WIRE_PLAYERS];
    assert_int_equal(entry->player, before.player);
    assert_true(entry->score >= 7 && entry->deaths >= 3);
    // The other client received no event.
    assert_int_equal(received_leaves(&table->seats[1], before.player, RAIM_REASON_LOST), 0);
    assert_true(received_joins(&table->seats[1], before.player) <= 1);
    close_table(table);
}

TEST(a_session_may_be_lost_and_found_again_and_again)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome first = table->seats[0].welcome;
    for (int i = 0; i < 50; i++) {
        const uint32_t handle = (uint32_t)(i % 2 == 0 ? 0 : 7);
        stand_up(table, handle);
        ticks(table, chance_int(0, GRACE_TICKS - 1));
        const struct seat *seat = resume(table, 7 - handle, first.token);
        ticks(table, chance_int(0, 5)); // also lost before it is welcome
        if (seat->welcome_sent)
            assert_int_equal(seat->welcome.player, first.player);
    }
    assert_int_equal(counts(table).players, 2);
    close_table(table);
}

TEST(who_is_away_stands_without_pressing_anything)
{
    struct table *table = open_two(session_def());
    const uint32_t id = table->seats[0].welcome.player;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_input_message message = {.tick = table->match->world->tick + 2, .count = 1};
    message.inputs[0] = (raim_wire_input){.move_x = 1, .fire = true, .aim = 12345};
    to_match(table, 0, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
    for (int i = 0; i < 3; i++) {
        raim_match_step(table->match);
        deliver(table);
    }
    assert_int_equal(player_of(table, id)->aim, 12345);
    stand_up(table, 0);
    const raim_vec2 position = player_of(table, id)->position;
    const uint32_t shots = player_of(table, id)->shots;
    ticks(table, GRACE_TICKS - 1);
    assert_int_equal(player_of(table, id)->aim, 12345);
    assert_int_equal(player_of(table, id)->shots, shots);
    assert_true(player_of(table, id)->position.x == position.x &&
                player_of(table, id)->position.y == position.y);
    close_table(table);
}

TEST(who_comes_back_looks_where_it_looked)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome welcome = table->seats[0].welcome;
    const raim_angle aim = player_of(table, welcome.player)->aim;
    assert_true(aim != 0);
    stand_up(table, 0);
    ticks(table, 10);
    resume(table, 0, welcome.token);
    raim_match_step(table->match);
    deliver(table);
    assert_int_equal(player_of(table, welcome.player)->aim, aim);
    close_table(table);
}

TEST(after_the_grace_time_a_lost_player_leaves)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome before = table->seats[0].welcome;
    player_of(table, before.player)->score = 7;
    stand_up(table, 0);
    ticks(table, GRACE_TICKS);
    assert_int_equal(counts(table).players, 2);
    assert_int_equal(counts(table).away, 1);
    assert_int_equal(received_leaves(&table->seats[1], before.player, RAIM_REASON_LOST), 0);
    ticks(table, 1);
    assert_int_equal(counts(table).players, 1);
    assert_int_equal(counts(table).away, 0);
    assert_int_equal(received_leaves(&table->seats[1], before.player, RAIM_REASON_LOST), 1);
    // The token of an ended session does not resume.
    const struct seat *again = resume(table, 0, before.token);
    ticks(table, 3);
    assert_int_not_equal(again->welcome.player, before.player);
    assert_memory_not_equal(again->welcome.token, before.token, RAIM_TOKEN_BYTES);
    assert_int_equal(row_of(table, again->welcome.player).score, 0);
    close_table(table);
}

TEST(in_a_full_match_who_came_and_went_makes_way)
{
    struct raim_match_def def = session_def();
    def.tuning.max_players = 3;
    struct table *table = open_two(def);
    const uint32_t faithful = table->seats[0].welcome.player;
    ticks(table, 100);
    play(table, 2);
    ticks(table, 10);
    const uint32_t fickle = table->seats[2].welcome.player;
    stand_up(table, 2);
    stand_up(table, 0);
    ticks(table, 9);
    play(table, 4);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_FULL], 1);
    ticks(table, 5);
    play(table, 5);
    ticks(table, 2);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_FULL], 1);
    assert_int_equal(received_leaves(&table->seats[1], fickle, RAIM_REASON_LOST), 1);
    assert_int_equal(counts(table).players, 3);
    assert_int_equal(counts(table).away, 1);
    assert_int_equal(row_of(table, faithful).id, faithful);
    close_table(table);
}

TEST(without_a_grace_time_a_lost_player_leaves_at_once)
{
    struct table *table = open_two(usual_def());
    const struct raim_welcome before = table->seats[0].welcome;
    assert_int_equal(before.grace_s, 0);
    // The network may still give a player another address while it is connected.
    const struct seat *moved = resume(table, 3, before.token);
    ticks(table, 3);
    assert_int_equal(moved->welcome.player, before.player);
    stand_up(table, 3);
    assert_int_equal(counts(table).players, 1);
    ticks(table, 1);
    assert_int_equal(received_leaves(&table->seats[1], before.player, RAIM_REASON_LOST), 1);
    close_table(table);
}

TEST(a_goodbye_ends_a_session)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome before = table->seats[0].welcome;
    say_goodbye(table, 0);
    assert_int_equal(counts(table).players, 1);
    assert_int_equal(counts(table).away, 0);
    // Also where its connection is still there.
    const struct seat *again = resume(table, 4, before.token);
    ticks(table, 3);
    assert_int_not_equal(again->welcome.player, before.player);
    assert_int_equal(received_leaves(&table->seats[1], before.player, RAIM_REASON_LEFT), 1);
    close_table(table);
}

static void say_farewell(struct table *table, uint32_t handle, const uint8_t *token)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_farewell farewell = {.goodbye = {.reason = RAIM_REASON_LEFT}};
    memcpy(farewell.token, token, sizeof farewell.token);
    to_match(table, handle, true, bytes, raim_farewell_write(&farewell, bytes, sizeof bytes));
}

TEST(a_goodbye_without_the_sessions_token_is_refused)
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    struct table *table = open_two(session_def());
    ticks(table, 5); // it acknowledges, and so has its token
    uint64_t refused = 0;
    for (int bit = 0; bit < 8 * RAIM_TOKEN_BYTES; bit++) {
        uint8_t token[RAIM_TOKEN_BYTES];
        memcpy(token, table->seats[0].welcome.token, sizeof token);
        token[bit / 8] ^= (uint8_t)(1 << bit % 8);
        say_farewell(table, 0, token);
        assert_int_equal(counts(table).refused[RAIM_REFUSED_GOODBYE], ++refused);
    }
    say_farewell(table, 0, none);
    say_farewell(table, 0, table->seats[1].welcome.token);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_GOODBYE], refused + 2);
    // The server's form of GOODBYE, which clients of version 4 sent.
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_goodbye old = {.reason = RAIM_REASON_LEFT};
    to_match(table, 0, true, bytes, raim_goodbye_write(&old, bytes, sizeof bytes));
    assert_int_equal(counts(table).refused[RAIM_REFUSED_MALFORMED], 1);
    ticks(table, 5);
    assert_int_equal(counts(table).players, 2);
    assert_false(table->seats[0].is_over);
    say_goodbye(table, 0);
    assert_int_equal(counts(table).players, 1);
    close_table(table);
}

TEST(who_has_no_token_yet_says_goodbye_without)
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    struct table *table = open_two(session_def());
    play(table, 2);
    say_farewell(table, 2, table->seats[0].welcome.token);
    assert_int_equal(counts(table).players, 3);
    say_farewell(table, 2, none);
    assert_int_equal(counts(table).players, 2);
    assert_int_equal(counts(table).away, 0);
    close_table(table);
}

TEST(a_guessed_token_is_only_a_fresh_join)
{
    struct raim_match_def def = session_def();
    def.bots = 2;
    struct table *table = open_two(def);
    const struct raim_welcome before = table->seats[0].welcome;
    stand_up(table, 0);
    uint8_t token[RAIM_TOKEN_BYTES] = {0}; // that of nobody, such as bots
    uint32_t handle = 2;
    for (int i = 0; i < 5; i++, handle++) {
        const struct seat *guess = resume(table, handle, token);
        ticks(table, 3);
        assert_true(guess->welcome_sent);
        assert_int_not_equal(guess->welcome.player, before.player);
        assert_int_equal(row_of(table, guess->welcome.player).bot, 0);
        assert_true(row_of(table, before.player).away);
        // Wrong by a single bit.
        memcpy(token, before.token, sizeof token);
        token[chance_int(0, 15)] ^= (uint8_t)(1 << chance_int(0, 7));
    }
    assert_true(table->seats[1].welcome.player != 0 && !table->seats[1].is_over);
    assert_int_equal(counts(table).players, 7);
    close_table(table);
}

static void check_take_over(int ticks_before, int ticks_after)
{
    struct table *table = open_table(session_def());
    struct seat *first = play(table, 0);
    play(table, 1);
    // The token before the first tick, when only the match has it.
    const uint32_t id = table->match->clients[0].player;
    uint8_t token[RAIM_TOKEN_BYTES];
    memcpy(token, table->match->members[raim_player_slot((raim_player_id)id)].token, 16);
    ticks(table, ticks_before);
    const struct seat *second = resume(table, 2, token);
    assert_int_equal(row_of(table, id).client, 2);
    assert_int_equal(counts(table).away, 0);
    // Later messages of the first connection are ignored.
    send_input(table, 0, table->match->world->tick + 1, false, 0);
    say(table, 0, "me");
    say_goodbye(table, 0);
    ticks(table, 3);
    assert_true(first->is_over);
    assert_int_equal(first->goodbye.reason, RAIM_REASON_RESUMED);
    assert_true(first->goodbye.text[0] != '\0');
    assert_int_equal(second->welcome.player, id);
    assert_memory_equal(second->welcome.token, token, RAIM_TOKEN_BYTES);
    ticks(table, ticks_after);
    stand_up(table, 0); // its connection ends, the player stays
    assert_int_equal(row_of(table, id).client, 2);
    assert_false(row_of(table, id).away);
    ticks(table, 5);
    assert_true(second->any && !second->is_over);
    assert_int_equal(counts(table).players, 2);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_UNEXPECTED], 0);
    close_table(table);
}

TEST(a_session_moves_over_whatever_its_connection_is_at)
{
    check_take_over(0, 0);  // entering, unwelcome yet
    check_take_over(1, 0);  // entered
    check_take_over(2, 10); // received its first snapshot
    check_take_over(100, 10);
}

TEST(of_two_connections_with_one_token_the_last_has_the_player)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome before = table->seats[0].welcome;
    stand_up(table, 0);
    ticks(table, 20);
    const struct seat *second = resume(table, 2, before.token);
    const struct seat *third = resume(table, 3, before.token);
    ticks(table, 5);
    assert_true(second->is_over && second->goodbye.reason == RAIM_REASON_RESUMED);
    assert_false(second->welcome_sent);
    assert_true(third->any && third->welcome.player == before.player);
    assert_int_equal(counts(table).players, 2);
    // And the first takes it back, without an end to it.
    stand_up(table, 2);
    const struct seat *fourth = resume(table, 2, before.token);
    ticks(table, 5);
    assert_true(third->is_over && fourth->any);
    close_table(table);
}

TEST(a_handle_that_is_used_again_loses_its_player_but_not_for_good)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome before = table->seats[0].welcome;
    // The match was not told that the first connection ended.
    free(table->seats[0].memory);
    memset(&table->seats[0], 0, sizeof table->seats[0]);
    struct seat *stranger = play(table, 0);
    assert_true(row_of(table, before.player).away);
    ticks(table, 5);
    assert_int_not_equal(stranger->welcome.player, before.player);
    free(table->seats[0].memory);
    memset(&table->seats[0], 0, sizeof table->seats[0]);
    const struct seat *again = resume(table, 0, before.token);
    ticks(table, 5);
    assert_int_equal(again->welcome.player, before.player);
    assert_int_equal(counts(table).players, 3);
    assert_int_equal(counts(table).away, 1);
    close_table(table);
}

TEST(who_is_away_holds_a_place)
{
    struct raim_match_def def = session_def();
    def.tuning.max_players = 2;
    struct table *table = open_two(def);
    const struct raim_welcome before = table->seats[0].welcome;
    stand_up(table, 0);
    const struct seat *refused = play(table, 2);
    ticks(table, 2);
    assert_int_equal(refused->goodbye.reason, RAIM_REASON_FULL);
    assert_string_equal(refused->goodbye.text, "the arena is full: 2 of 2 players");
    const struct seat *again = resume(table, 3, before.token);
    ticks(table, 3);
    assert_int_equal(again->welcome.player, before.player);
    stand_up(table, 3);
    ticks(table, GRACE_TICKS + 1);
    const struct seat *next = play(table, 4);
    ticks(table, 3);
    assert_true(next->any);
    close_table(table);
}

TEST(a_shutdown_ends_the_sessions_of_all)
{
    struct table *table = open_two(session_def());
    stand_up(table, 0);
    ticks(table, 5);
    raim_match_shutdown(table->match);
    deliver(table);
    assert_int_equal(counts(table).players, 0);
    assert_int_equal(counts(table).away, 0);
    assert_int_equal(table->seats[1].goodbye.reason, RAIM_REASON_SHUTDOWN);
    raim_match_shutdown(table->match);
    ticks(table, GRACE_TICKS + 5);
    assert_int_equal(counts(table).players, 0);
    close_table(table);
}

TEST(spectators_go_on_watching_who_is_away_until_it_leaves)
{
    struct raim_match_def def = session_def();
    def.spectator_delay_s = 0;
    struct table *table = open_two(def);
    const uint32_t id = table->seats[0].welcome.player, slot = id % RAIM_WIRE_PLAYERS;
    player_of(table, id)->score = 100;
    struct seat *watcher = watch(table, 2, id);
    ticks(table, 5);
    stand_up(table, 0);
    ticks(table, GRACE_TICKS - 5);
    assert_int_equal(frame_at(watcher, watcher->newest)->self.slot, slot);
    assert_true(watcher->newest + 7 > raim_match_tick(table->match));
    ticks(table, 30);
    assert_int_equal(frame_at(watcher, watcher->newest)->self.slot,
                     table->seats[1].welcome.player % RAIM_WIRE_PLAYERS);
    close_table(table);
}

TEST(a_spectator_has_no_session)
{
    struct table *table = open_two(session_def());
    struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION, .watch = true, .resume = true, .name = "spectator"};
    memcpy(hello.token, table->seats[0].welcome.token, sizeof hello.token);
    struct seat *watcher = connect_seat(table, 2, &hello);
    ticks(table, 5);
    assert_int_equal(watcher->welcome.player, 0);
    assert_false(table->seats[0].is_over);
    stand_up(table, 2);
    assert_int_equal(counts(table).spectators, 0);
    assert_int_equal(counts(table).away, 0);
    close_table(table);
}

TEST(inputs_are_counted_but_while_away)
{
    struct table *table = open_two(session_def());
    const struct raim_welcome before = table->seats[0].welcome;
    ticks(table, 100);
    const struct raim_match_player row = row_of(table, before.player);
    assert_true(row.inputs_due > 90 && row.inputs_missed == 0);
    stand_up(table, 0);
    ticks(table, 50);
    assert_int_equal(row_of(table, before.player).inputs_due, row.inputs_due);
    resume(table, 0, before.token);
    ticks(table, 50);
    assert_true(row_of(table, before.player).inputs_due > row.inputs_due + 40);
    assert_int_equal(row_of(table, before.player).inputs_missed, 0);
    // After two ticks, whose inputs came early, there is silence, which counts from 0.3 s on.
    enum { SILENT = 60 * 3 / 10 };
    const uint32_t due = row_of(table, before.player).inputs_due;
    for (int i = 0; i < 2 + SILENT + 8; i++)
        raim_match_step(table->match);
    assert_int_equal(row_of(table, before.player).inputs_due, due + 2 + SILENT + 8);
    assert_true(row_of(table, before.player).inputs_missed == 8);
    // The match's own counts outlive the players.
    const struct raim_match_counts seen = counts(table);
    assert_true(seen.inputs_due > 2 * due && seen.inputs_missed == 2 * 8);
    assert_true(seen.snapshots > 150);
    close_table(table);
}

// The expected state of a session: it plays in a seat, or is away since a tick.
struct guest {
    bool plays, is_away;
    uint32_t handle, since, id;
    uint8_t token[RAIM_TOKEN_BYTES];
};

static void check_guests(const struct table *table, struct guest *guests, int count)
{
    uint32_t players = 0, away = 0;
    for (int i = 0; i < count; i++) {
        struct guest *guest = &guests[i];
        if (guest->is_away && table->match->world->tick - guest->since > GRACE_TICKS)
            guest->is_away = false;
        players += guest->plays || guest->is_away;
        away += guest->is_away;
        if (!guest->plays && !guest->is_away)
            continue;
        const struct raim_match_player row = row_of(table, guest->id);
        assert_int_equal(row.id, guest->id);
        assert_int_equal(row.away, guest->is_away);
        assert_true(guest->is_away || row.client == guest->handle);
    }
    assert_int_equal(counts(table).players, players);
    assert_int_equal(counts(table).away, away);
}

static uint32_t free_handle(const struct table *table)
{
    uint32_t handle = 0;
    while (handle < SEATS && table->seats[handle].open)
        handle++;
    return handle;
}

// Joins or resumes in a free seat, if there is one.
static void come(struct table *table, struct guest *guest)
{
    const uint32_t handle = free_handle(table), before = guest->handle;
    const bool knows = guest->plays || guest->is_away;
    if (handle == SEATS)
        return;
    const bool was_connected = guest->plays;
    if (knows)
        resume(table, handle, guest->token);
    else
        play(table, handle);
    const struct raim_connection *client = &table->match->clients[handle];
    assert_true(!knows || client->player == guest->id);
    guest->plays = true;
    guest->is_away = false;
    guest->handle = handle;
    guest->id = client->player;
    memcpy(guest->token, table->match->members[client->slot].token, sizeof guest->token);
    if (was_connected)
        stand_up(table, before); // the transport ends it after its goodbye
}

TEST(whoever_comes_and_goes_the_match_keeps_count)
{
    enum { GUESTS = 8 };
    struct guest guests[GUESTS] = {0};
    struct table *table = open_table(session_def());
    for (int i = 0; i < 3000; i++) {
        struct guest *guest = &guests[chance_int(0, GUESTS - 1)];
        const int what = chance_int(0, 60);
        if (what < 3) {
            come(table, guest);
        } else if (what < 5 && guest->plays) {
            stand_up(table, guest->handle);
            *guest = (struct guest){.is_away = true,
                                    .since = table->match->world->tick,
                                    .id = guest->id,
                                    .handle = guest->handle};
            const uint32_t slot = raim_player_slot((raim_player_id)guest->id);
            memcpy(guest->token, table->match->members[slot].token, sizeof guest->token);
        } else if (what < 6 && guest->plays) {
            say_goodbye(table, guest->handle);
            stand_up(table, guest->handle);
            guest->plays = false;
        }
        tick(table);
        check_guests(table, guests, GUESTS);
    }
    close_table(table);
}
