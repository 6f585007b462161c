// SPDX-License-Identifier: MIT
// The operator's commands to a match: say, kick, ban, mute, drain.
#include "peer_fixture.h"

static const struct raim_wire_event *last_received(const struct peer *peer)
{
    return peer->received_count > 0 ? &peer->received[peer->received_count - 1].event : NULL;
}

static raim_player_id id_of(const struct test_match *test, uint32_t handle)
{
    return (raim_player_id)test->peers[handle].welcome.player;
}

static struct test_match *open_two(struct raim_match_def def)
{
    struct test_match *test = open_test_match(def);
    play(test, 0);
    play(test, 1);
    ticks(test, 5);
    assert_int_equal(counts(test).players, 2);
    return test;
}

static struct raim_hello resuming(const struct test_match *test, uint32_t handle)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "again"};
    memcpy(hello.token, test->peers[handle].welcome.token, sizeof hello.token);
    return hello;
}

static void assert_goodbye(const struct peer *peer, enum raim_reason reason, const char *text)
{
    assert_true(peer->is_over);
    assert_int_equal(peer->goodbye.reason, reason);
    assert_string_equal(peer->goodbye.text, text);
}

TEST(the_server_says_something_as_player_0)
{
    struct raim_match_def def = usual_def();
    def.spectator_delay_s = 0;
    struct test_match *test = open_two(def);
    watch(test, 2, 0);
    ticks(test, 5);
    assert_true(raim_match_say(test->match, "  maintenance\x1b at noon "));
    ticks(test, 1);
    for (uint32_t i = 0; i < 3; i++) {
        const struct raim_wire_event *event = last_received(&test->peers[i]);
        assert_int_equal(event->kind, RAIM_WIRE_CHAT);
        assert_true(event->by_operator);
        assert_int_equal(event->player, RAIM_NOBODY);
        assert_string_equal(event->text, "maintenance at noon");
    }
    close_test_match(test);
}

TEST(what_cannot_be_told_is_not_said)
{
    struct test_match *test = open_two(usual_def());
    char text[RAIM_MAX_TEXT_BYTES + 2];
    memset(text, 'x', sizeof text);
    text[RAIM_MAX_TEXT_BYTES + 1] = '\0';
    assert_false(raim_match_say(test->match, text));
    assert_false(raim_match_say(test->match, " "));
    assert_false(raim_match_say(test->match, "\xff"));
    const uint32_t before = test->peers[0].received_count;
    ticks(test, 1);
    assert_int_equal(test->peers[0].received_count, before);
    text[RAIM_MAX_TEXT_BYTES] = '\0';
    int said = 0;
    while (raim_match_say(test->match, text))
        said++;
    assert_in_range(said, 1, 10000); // then the event log is full
    ticks(test, said / 4 + 1);       // of such long ones a message holds four
    assert_int_equal(test->peers[0].received_count, before + said);
    close_test_match(test);
}

TEST(a_kick_ends_a_session_and_tells_why)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct test_match *test = open_two(def);
    const raim_player_id id = id_of(test, 0);
    const struct raim_hello hello = resuming(test, 0);
    assert_true(raim_match_kick(test->match, id, "be nice"));
    assert_false(raim_match_kick(test->match, id, "be nice"));
    assert_int_equal(counts(test).players, 1);
    ticks(test, 1);
    assert_goodbye(&test->peers[0], RAIM_REASON_KICKED, "be nice");
    const struct raim_wire_event *event = last_received(&test->peers[1]);
    assert_int_equal(event->kind, RAIM_WIRE_LEFT);
    assert_int_equal(event->player, id);
    assert_int_equal(event->reason, RAIM_REASON_KICKED);
    assert_false(test->peers[1].is_over);
    // The session is over: its token makes a new player.
    leave(test, 0);
    connect_peer(test, 0, &hello);
    ticks(test, 5);
    assert_int_not_equal(id_of(test, 0), id);
    close_test_match(test);
}

TEST(who_is_away_can_be_kicked_too)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct test_match *test = open_two(def);
    const raim_player_id id = id_of(test, 0);
    const struct raim_hello hello = resuming(test, 0);
    leave(test, 0);
    ticks(test, 5);
    assert_int_equal(counts(test).away, 1);
    assert_true(raim_match_kick(test->match, id, ""));
    assert_int_equal(counts(test).players, 1);
    connect_peer(test, 0, &hello);
    ticks(test, 5);
    assert_int_not_equal(id_of(test, 0), id);
    close_test_match(test);
}

TEST(only_clients_can_be_kicked_or_muted)
{
    struct raim_match_def def = usual_def();
    def.bots = 2;
    struct test_match *test = open_two(def);
    struct raim_match_player rows[SLOTS];
    const uint32_t count = raim_match_players(test->match, rows, SLOTS);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].bot) {
            assert_false(raim_match_kick(test->match, rows[i].id, ""));
            assert_false(raim_match_mute(test->match, rows[i].id, true));
        }
    for (uint32_t id = 0; id <= UINT16_MAX; id++)
        if (id != id_of(test, 0) && id != id_of(test, 1)) {
            assert_false(raim_match_kick(test->match, (raim_player_id)id, ""));
            assert_false(raim_match_mute(test->match, (raim_player_id)id, true));
        }
    assert_int_equal(counts(test).players, 2);
    close_test_match(test);
}

TEST(a_reason_that_cannot_be_told_is_not)
{
    struct test_match *test = open_two(usual_def());
    assert_true(raim_match_kick(test->match, id_of(test, 0), "\xff"));
    ticks(test, 1);
    assert_goodbye(&test->peers[0], RAIM_REASON_KICKED, "");
    close_test_match(test);
}

TEST(a_ban_ends_whatever_a_connection_is)
{
    struct test_match *test = open_two(usual_def());
    watch(test, 2, 0);
    ticks(test, 5);
    raim_match_connect(test->match, 3, (const uint8_t[RAIM_TOKEN_BYTES]){3});
    for (uint32_t handle = 0; handle < PEERS; handle++)
        if (handle != 1)
            raim_match_ban(test->match, handle, "for cause");
    assert_int_equal(counts(test).players, 1);
    assert_int_equal(counts(test).spectators, 0);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_BANNED], 3);
    // Its HELLO comes too late.
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "late"};
    to_match(test, 3, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    ticks(test, 2);
    assert_goodbye(&test->peers[0], RAIM_REASON_BANNED, "for cause");
    assert_goodbye(&test->peers[2], RAIM_REASON_BANNED, "for cause");
    assert_goodbye(&test->peers[3], RAIM_REASON_BANNED, "for cause");
    assert_false(test->peers[1].is_over);
    assert_int_equal(counts(test).players, 1);
    close_test_match(test);
}

TEST(who_is_muted_is_heard_by_nobody_until_it_may_speak_again)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct test_match *test = open_two(def);
    const raim_player_id id = id_of(test, 0);
    struct raim_hello hello = resuming(test, 0);
    assert_true(raim_match_mute(test->match, id, true));
    const uint32_t before = test->peers[1].received_count;
    say(test, 0, "hear me");
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MUTED], 1);
    // Another connection of the session changes nothing.
    connect_peer(test, 5, &hello);
    ticks(test, 5);
    say(test, 5, "hear me");
    ticks(test, 1);
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_MUTED], 2);
    assert_int_equal(test->peers[1].received_count, before);
    struct raim_match_player rows[SLOTS];
    assert_int_equal(raim_match_players(test->match, rows, SLOTS), 2);
    assert_true(rows[0].muted);
    assert_false(rows[1].muted);
    assert_true(raim_match_mute(test->match, id, false));
    say(test, 5, "hear me");
    ticks(test, 1);
    assert_string_equal(last_received(&test->peers[1])->text, "hear me");
    close_test_match(test);
}

TEST(who_takes_a_muted_players_place_may_speak)
{
    struct test_match *test = open_two(usual_def());
    const raim_player_id id = id_of(test, 0);
    assert_true(raim_match_mute(test->match, id, true));
    say_goodbye(test, 0);
    leave(test, 0);
    play(test, 0);
    ticks(test, 5);
    assert_int_equal(raim_player_slot(id_of(test, 0)), raim_player_slot(id));
    say(test, 0, "hello");
    ticks(test, 1);
    assert_string_equal(last_received(&test->peers[1])->text, "hello");
    close_test_match(test);
}

TEST(a_draining_match_lets_in_only_who_resumes)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct test_match *test = open_two(def);
    const raim_player_id id = id_of(test, 0);
    const struct raim_hello hello = resuming(test, 0);
    struct raim_hello unknown = hello;
    unknown.token[0] ^= 1;
    raim_match_drain(test->match, true);
    play(test, 2);
    watch(test, 3, 0);
    connect_peer(test, 4, &unknown);
    leave(test, 0);
    connect_peer(test, 0, &hello);
    ticks(test, 5);
    for (uint32_t handle = 2; handle <= 4; handle++) {
        assert_true(test->peers[handle].is_over);
        assert_int_equal(test->peers[handle].goodbye.reason, RAIM_REASON_DRAINING);
        assert_int_not_equal(test->peers[handle].goodbye.text[0], '\0');
    }
    assert_int_equal(counts(test).rejected[RAIM_REJECTED_DRAINING], 3);
    assert_int_equal(id_of(test, 0), id);
    assert_int_equal(counts(test).players, 2);
    assert_int_equal(counts(test).away, 0);
    raim_match_drain(test->match, false);
    play(test, 5);
    ticks(test, 5);
    assert_int_equal(counts(test).players, 3);
    close_test_match(test);
}
