// SPDX-License-Identifier: MIT
// Sessions: a client that loses its connection resumes the same player by a token within the grace
// time.
#include "peer_fixture.h"

#include "match_internal.h"

enum { GRACE_TICKS = 120 }; // of 2 s

static struct raim_match_def session_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = GRACE_TICKS / 60.0;
    return def;
}

static raim_player *player_of(const struct test_match *test, uint32_t id)
{
    return &raim_world_players(test->match->world)[raim_player_slot((raim_player_id)id)];
}

// How many events of a kind a peer received about a player; of a leave, with the reason.
static int received(const struct peer *peer, enum raim_wire_event_kind kind, uint32_t id,
                    uint32_t reason)
{
    int count = 0;
    for (uint32_t i = 0; i < peer->received_count; i++) {
        const struct raim_wire_event *event = &peer->received[i].event;
        count += event->kind == kind && event->player == id && event->reason == reason;
    }
    return count;
}

static int received_leaves(const struct peer *peer, uint32_t id, enum raim_reason reason)
{
    return received(peer, RAIM_WIRE_LEFT, id, reason);
}

TEST(a_welcome_tells_the_token_and_the_time_that_it_is_good_for)
{
    struct test_match *test = open_two(session_def());
    struct peer *watcher = watch(test, 2, 0);
    ticks(test, 3);
    const struct raim_welcome *first = &test->peers[0].welcome;
    const struct raim_welcome *second = &test->peers[1].welcome;
    const uint8_t zero[RAIM_TOKEN_BYTES] = {0};
    assert_memory_equal(first->token, test->match->sessions[0].token, RAIM_TOKEN_BYTES);
    assert_memory_not_equal(first->token, second->token, RAIM_TOKEN_BYTES);
    assert_memory_equal(watcher->welcome.token, zero, RAIM_TOKEN_BYTES);
    assert_int_equal(first->grace_s, 2);
    assert_int_equal(first->max_rewind, 12);
}

TEST(who_was_lost_comes_back_to_the_same_player)
{
    struct test_match *test = open_two(session_def());
    const struct raim_welcome before = test->peers[0].welcome;
    player_of(test, before.player)->score = 7;
    player_of(test, before.player)->deaths = 3;
    leave(test, 0);
    ticks(test, GRACE_TICKS - 1);
    assert_true(row_of(test, before.player).away);
    struct peer *again = resume(test, 5, before.token);
    assert_false(row_of(test, before.player).away);
    assert_int_equal(row_of(test, before.player).client, 5);
    ticks(test, GRACE_TICKS);
    assert_int_equal(again->welcome.player, before.player);
    assert_memory_equal(again->welcome.token, before.token, RAIM_TOKEN_BYTES);
    assert_true(again->any && frame_at(again, again->newest)->self.steers);
    const struct raim_roster_entry *entry = &again->roster[before.player % RAIM_WIRE_PLAYERS];
    assert_int_equal(entry->player, before.player);
    assert_true(entry->score >= 7 && entry->deaths >= 3);
    // The other client received no event.
    assert_int_equal(received_leaves(&test->peers[1], before.player, RAIM_REASON_LOST), 0);
    assert_true(received(&test->peers[1], RAIM_WIRE_JOINED, before.player, 0) <= 1);
}

TEST(who_is_away_stands_without_pressing_anything)
{
    struct test_match *test = open_two(session_def());
    const struct raim_welcome welcome = test->peers[0].welcome;
    const uint32_t id = welcome.player;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_input_message message = {.tick = test->match->world->tick + 2, .count = 1};
    message.inputs[0] = (raim_wire_input){.move_x = 1, .fire = true, .aim = 12345};
    to_match(test, 0, false, bytes, raim_input_write(&message, bytes, sizeof bytes));
    for (int i = 0; i < 3; i++) {
        raim_match_step(test->match);
        deliver(test);
    }
    assert_int_equal(player_of(test, id)->aim, 12345);
    leave(test, 0);
    const raim_vec2 position = player_of(test, id)->position;
    const uint32_t shots = player_of(test, id)->shots;
    ticks(test, GRACE_TICKS - 1);
    assert_int_equal(player_of(test, id)->aim, 12345);
    assert_int_equal(player_of(test, id)->shots, shots);
    assert_true(player_of(test, id)->position.x == position.x &&
                player_of(test, id)->position.y == position.y);
    // Who comes back looks where it looked.
    resume(test, 0, welcome.token);
    raim_match_step(test->match);
    deliver(test);
    assert_int_equal(player_of(test, id)->aim, 12345);
}

TEST(after_the_grace_time_a_lost_player_leaves)
{
    struct test_match *test = open_two(session_def());
    const struct raim_welcome before = test->peers[0].welcome;
    player_of(test, before.player)->score = 7;
    leave(test, 0);
    ticks(test, GRACE_TICKS);
    assert_int_equal(counts(test).players, 2);
    assert_int_equal(counts(test).away, 1);
    assert_int_equal(received_leaves(&test->peers[1], before.player, RAIM_REASON_LOST), 0);
    ticks(test, 1);
    assert_int_equal(counts(test).players, 1);
    assert_int_equal(counts(test).away, 0);
    assert_int_equal(received_leaves(&test->peers[1], before.player, RAIM_REASON_LOST), 1);
    // The token of an ended session does not resume.
    const struct peer *again = resume(test, 0, before.token);
    ticks(test, 3);
    assert_int_not_equal(again->welcome.player, before.player);
    assert_memory_not_equal(again->welcome.token, before.token, RAIM_TOKEN_BYTES);
    assert_int_equal(row_of(test, again->welcome.player).score, 0);
}

TEST(in_a_full_match_who_came_and_went_makes_way)
{
    struct test_match *test = open_two(with_players(session_def(), 3));
    const uint32_t faithful = test->peers[0].welcome.player;
    ticks(test, 100);
    play(test, 2);
    ticks(test, 10);
    const uint32_t fickle = test->peers[2].welcome.player;
    leave(test, 2);
    leave(test, 0);
    ticks(test, 9);
    play(test, 4);
    assert_int_equal(rejected(test, RAIM_REJECTED_FULL), 1);
    ticks(test, 5);
    play(test, 5);
    ticks(test, 2);
    assert_int_equal(rejected(test, RAIM_REJECTED_FULL), 1);
    assert_int_equal(received_leaves(&test->peers[1], fickle, RAIM_REASON_LOST), 1);
    assert_int_equal(counts(test).players, 3);
    assert_int_equal(counts(test).away, 1);
    assert_int_equal(row_of(test, faithful).id, faithful);
}

TEST(without_a_grace_time_a_lost_player_leaves_at_once)
{
    struct test_match *test = open_two(usual_def());
    const struct raim_welcome before = test->peers[0].welcome;
    assert_int_equal(before.grace_s, 0);
    // The network may still give a player another address while it is connected.
    const struct peer *moved = resume(test, 3, before.token);
    ticks(test, 3);
    assert_int_equal(moved->welcome.player, before.player);
    leave(test, 3);
    assert_int_equal(counts(test).players, 1);
    ticks(test, 1);
    assert_int_equal(received_leaves(&test->peers[1], before.player, RAIM_REASON_LOST), 1);
}

TEST(a_goodbye_ends_a_session)
{
    struct test_match *test = open_two(session_def());
    const struct raim_welcome before = test->peers[0].welcome;
    say_goodbye(test, 0);
    assert_int_equal(counts(test).players, 1);
    assert_int_equal(counts(test).away, 0);
    // Also where its connection is still there.
    const struct peer *again = resume(test, 4, before.token);
    ticks(test, 3);
    assert_int_not_equal(again->welcome.player, before.player);
    assert_int_equal(received_leaves(&test->peers[1], before.player, RAIM_REASON_LEFT), 1);
}

static void send_client_goodbye(struct test_match *test, uint32_t handle, const uint8_t *token)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    struct raim_client_goodbye client_goodbye = {.reason = RAIM_REASON_LEFT};
    memcpy(client_goodbye.token, token, sizeof client_goodbye.token);
    to_match(test, handle, true, bytes,
             raim_client_goodbye_write(&client_goodbye, bytes, sizeof bytes));
}

TEST(a_goodbye_without_the_sessions_token_is_rejected)
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    struct test_match *test = open_two(session_def());
    ticks(test, 5); // it acknowledges, and so has its token
    uint64_t count = 0;
    for (int bit = 0; bit < 8 * RAIM_TOKEN_BYTES; bit++) {
        uint8_t token[RAIM_TOKEN_BYTES];
        memcpy(token, test->peers[0].welcome.token, sizeof token);
        token[bit / 8] ^= (uint8_t)(1 << bit % 8);
        send_client_goodbye(test, 0, token);
        assert_int_equal(rejected(test, RAIM_REJECTED_GOODBYE), ++count);
    }
    send_client_goodbye(test, 0, none);
    send_client_goodbye(test, 0, test->peers[1].welcome.token);
    assert_int_equal(rejected(test, RAIM_REJECTED_GOODBYE), count + 2);
    // The server's form of GOODBYE, which clients of version 4 sent.
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_goodbye old = {.reason = RAIM_REASON_LEFT};
    to_match(test, 0, true, bytes, raim_goodbye_write(&old, bytes, sizeof bytes));
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 1);
    ticks(test, 5);
    assert_int_equal(counts(test).players, 2);
    assert_false(test->peers[0].is_over);
    say_goodbye(test, 0);
    assert_int_equal(counts(test).players, 1);
}

TEST(who_has_no_token_yet_says_goodbye_without)
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    struct test_match *test = open_two(session_def());
    play(test, 2);
    send_client_goodbye(test, 2, test->peers[0].welcome.token);
    assert_int_equal(counts(test).players, 3);
    send_client_goodbye(test, 2, none);
    assert_int_equal(counts(test).players, 2);
    assert_int_equal(counts(test).away, 0);
}

TEST(a_guessed_token_is_only_a_fresh_join)
{
    struct test_match *test = open_two(with_bots(session_def(), 2));
    const struct raim_welcome before = test->peers[0].welcome;
    leave(test, 0);
    uint8_t token[RAIM_TOKEN_BYTES] = {0}; // that of nobody, such as bots
    uint32_t handle = 2;
    for (int i = 0; i < 5; i++, handle++) {
        const struct peer *guess = resume(test, handle, token);
        ticks(test, 3);
        assert_true(guess->welcome_sent);
        assert_int_not_equal(guess->welcome.player, before.player);
        assert_int_equal(row_of(test, guess->welcome.player).bot, 0);
        assert_true(row_of(test, before.player).away);
        // Wrong by a single bit.
        memcpy(token, before.token, sizeof token);
        token[chance_int(0, 15)] ^= (uint8_t)(1 << chance_int(0, 7));
    }
    assert_true(test->peers[1].welcome.player != 0 && !test->peers[1].is_over);
    assert_int_equal(counts(test).players, 7);
}

static void check_take_over(int ticks_before, int ticks_after)
{
    struct test_match *test = open_test_match(session_def());
    struct peer *first = play(test, 0);
    play(test, 1);
    // The token before the first tick, when only the match has it.
    const uint32_t id = test->match->connections[0].player;
    uint8_t token[RAIM_TOKEN_BYTES];
    memcpy(token, test->match->sessions[raim_player_slot((raim_player_id)id)].token, 16);
    ticks(test, ticks_before);
    const struct peer *second = resume(test, 2, token);
    assert_int_equal(row_of(test, id).client, 2);
    assert_int_equal(counts(test).away, 0);
    // Later messages of the first connection are ignored.
    send_input(test, 0, test->match->world->tick + 1, false, 0);
    say(test, 0, "me");
    say_goodbye(test, 0);
    ticks(test, 3);
    assert_true(first->is_over);
    assert_int_equal(first->goodbye.reason, RAIM_REASON_RESUMED);
    assert_true(first->goodbye.text[0] != '\0');
    assert_int_equal(second->welcome.player, id);
    assert_memory_equal(second->welcome.token, token, RAIM_TOKEN_BYTES);
    ticks(test, ticks_after);
    leave(test, 0); // its connection ends, the player stays
    assert_int_equal(row_of(test, id).client, 2);
    assert_false(row_of(test, id).away);
    ticks(test, 5);
    assert_true(second->any && !second->is_over);
    assert_int_equal(counts(test).players, 2);
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 0);
}

TEST(a_session_moves_over_whatever_its_connection_is_at)
{
    check_take_over(0, 0);  // entering, unwelcome yet
    check_take_over(1, 0);  // entered
    check_take_over(2, 10); // received its first snapshot
    check_take_over(100, 10);
}

TEST(a_handle_that_is_used_again_loses_its_player_but_not_for_good)
{
    struct test_match *test = open_two(session_def());
    const struct raim_welcome before = test->peers[0].welcome;
    // The match was not told that the first connection ended.
    forget_peer(&test->peers[0]);
    struct peer *stranger = play(test, 0);
    assert_true(row_of(test, before.player).away);
    ticks(test, 5);
    assert_int_not_equal(stranger->welcome.player, before.player);
    forget_peer(&test->peers[0]);
    const struct peer *again = resume(test, 0, before.token);
    ticks(test, 5);
    assert_int_equal(again->welcome.player, before.player);
    assert_int_equal(counts(test).players, 3);
    assert_int_equal(counts(test).away, 1);
}

TEST(who_is_away_holds_a_place)
{
    struct test_match *test = open_two(with_players(session_def(), 2));
    const struct raim_welcome before = test->peers[0].welcome;
    leave(test, 0);
    const struct peer *rejected = play(test, 2);
    ticks(test, 2);
    assert_goodbye(rejected, RAIM_REASON_FULL, "the arena is full: 2 of 2 players");
    const struct peer *again = resume(test, 3, before.token);
    ticks(test, 3);
    assert_int_equal(again->welcome.player, before.player);
    leave(test, 3);
    ticks(test, GRACE_TICKS + 1);
    const struct peer *next = play(test, 4);
    ticks(test, 3);
    assert_true(next->any);
}

TEST(a_shutdown_ends_the_sessions_of_all)
{
    struct test_match *test = open_two(session_def());
    leave(test, 0);
    ticks(test, 5);
    raim_match_shutdown(test->match);
    deliver(test);
    assert_int_equal(counts(test).players, 0);
    assert_int_equal(counts(test).away, 0);
    assert_goodbye(&test->peers[1], RAIM_REASON_SHUTDOWN, "the server is shutting down");
    raim_match_shutdown(test->match);
    ticks(test, GRACE_TICKS + 5);
    assert_int_equal(counts(test).players, 0);
}

TEST(spectators_go_on_watching_who_is_away_until_it_leaves)
{
    struct test_match *test = open_two(live(session_def()));
    const uint32_t id = test->peers[0].welcome.player, slot = id % RAIM_WIRE_PLAYERS;
    player_of(test, id)->score = 100;
    struct peer *watcher = watch(test, 2, id);
    ticks(test, 5);
    leave(test, 0);
    ticks(test, GRACE_TICKS - 5);
    assert_int_equal(frame_at(watcher, watcher->newest)->self.slot, slot);
    assert_true(watcher->newest + 7 > raim_match_tick(test->match));
    ticks(test, 30);
    assert_int_equal(frame_at(watcher, watcher->newest)->self.slot,
                     test->peers[1].welcome.player % RAIM_WIRE_PLAYERS);
}

TEST(a_spectator_has_no_session)
{
    struct test_match *test = open_two(session_def());
    struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION, .watch = true, .resume = true, .name = "spectator"};
    memcpy(hello.token, test->peers[0].welcome.token, sizeof hello.token);
    struct peer *watcher = connect_peer(test, 2, &hello);
    ticks(test, 5);
    assert_int_equal(watcher->welcome.player, 0);
    assert_false(test->peers[0].is_over);
    leave(test, 2);
    assert_int_equal(counts(test).spectators, 0);
    assert_int_equal(counts(test).away, 0);
}

TEST(inputs_are_counted_but_while_away)
{
    struct test_match *test = open_two(session_def());
    const struct raim_welcome before = test->peers[0].welcome;
    ticks(test, 100);
    const struct raim_match_player row = row_of(test, before.player);
    assert_true(row.inputs_due > 90 && row.inputs_missed == 0);
    leave(test, 0);
    ticks(test, 50);
    assert_int_equal(row_of(test, before.player).inputs_due, row.inputs_due);
    resume(test, 0, before.token);
    ticks(test, 50);
    assert_true(row_of(test, before.player).inputs_due > row.inputs_due + 40);
    assert_int_equal(row_of(test, before.player).inputs_missed, 0);
    // After two ticks, whose inputs came early, there is silence, which counts from 0.3 s on.
    enum { SILENT = 60 * 3 / 10 };
    const uint32_t due = row_of(test, before.player).inputs_due;
    for (int i = 0; i < 2 + SILENT + 8; i++)
        raim_match_step(test->match);
    assert_int_equal(row_of(test, before.player).inputs_due, due + 2 + SILENT + 8);
    assert_true(row_of(test, before.player).inputs_missed == 8);
    // The match's own counts outlive the players.
    const struct raim_match_counts seen = counts(test);
    assert_true(seen.inputs_due > 2 * due && seen.inputs_missed == 2 * 8);
    assert_true(seen.snapshots > 150);
}

// The expected state of a session: it plays in a peer, or is away since a tick.
struct guest {
    bool plays, is_away;
    uint32_t handle, since, id;
    uint8_t token[RAIM_TOKEN_BYTES];
};

static void check_guests(const struct test_match *test, struct guest *guests, int count)
{
    uint32_t players = 0, away = 0;
    for (int i = 0; i < count; i++) {
        struct guest *guest = &guests[i];
        if (guest->is_away && test->match->world->tick - guest->since > GRACE_TICKS)
            guest->is_away = false;
        players += guest->plays || guest->is_away;
        away += guest->is_away;
        if (!guest->plays && !guest->is_away)
            continue;
        const struct raim_match_player row = row_of(test, guest->id);
        assert_int_equal(row.id, guest->id);
        assert_int_equal(row.away, guest->is_away);
        assert_true(guest->is_away || row.client == guest->handle);
    }
    assert_int_equal(counts(test).players, players);
    assert_int_equal(counts(test).away, away);
}

static uint32_t free_handle(const struct test_match *test)
{
    uint32_t handle = 0;
    while (handle < PEERS && test->peers[handle].open)
        handle++;
    return handle;
}

// Joins or resumes in a free peer, if there is one.
static void come(struct test_match *test, struct guest *guest)
{
    const uint32_t handle = free_handle(test), before = guest->handle;
    const bool knows = guest->plays || guest->is_away;
    if (handle == PEERS)
        return;
    const bool was_connected = guest->plays;
    if (knows)
        resume(test, handle, guest->token);
    else
        play(test, handle);
    const struct raim_connection *client = &test->match->connections[handle];
    assert_true(!knows || client->player == guest->id);
    guest->plays = true;
    guest->is_away = false;
    guest->handle = handle;
    guest->id = client->player;
    memcpy(guest->token, test->match->sessions[client->slot].token, sizeof guest->token);
    if (was_connected)
        leave(test, before); // the transport ends it after its goodbye
}

TEST(whoever_comes_and_goes_the_match_keeps_count)
{
    enum { GUESTS = 8 };
    struct guest guests[GUESTS] = {0};
    struct test_match *test = open_test_match(session_def());
    for (int i = 0; i < 3000; i++) {
        struct guest *guest = &guests[chance_int(0, GUESTS - 1)];
        const int what = chance_int(0, 60);
        if (what < 3) {
            come(test, guest);
        } else if (what < 5 && guest->plays) {
            leave(test, guest->handle);
            *guest = (struct guest){.is_away = true,
                                    .since = test->match->world->tick,
                                    .id = guest->id,
                                    .handle = guest->handle};
            const uint32_t slot = raim_player_slot((raim_player_id)guest->id);
            memcpy(guest->token, test->match->sessions[slot].token, sizeof guest->token);
        } else if (what < 6 && guest->plays) {
            say_goodbye(test, guest->handle);
            leave(test, guest->handle);
            guest->plays = false;
        }
        tick(test);
        check_guests(test, guests, GUESTS);
    }
}
