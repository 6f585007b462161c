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

TEST(the_server_says_something_as_player_0)
{
    struct test_match *test = open_two(live(usual_def()));
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
}

TEST(a_kick_ends_a_session_and_tells_why)
{
    struct test_match *test = open_two(with_grace(usual_def(), 30));
    const raim_player_id id = id_of(test, 0);
    const struct raim_welcome welcome = test->peers[0].welcome;
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
    resume(test, 0, welcome.token);
    ticks(test, 5);
    assert_int_not_equal(id_of(test, 0), id);
}

TEST(who_is_away_can_be_kicked_too)
{
    struct test_match *test = open_two(with_grace(usual_def(), 30));
    const raim_player_id id = id_of(test, 0);
    leave(test, 0);
    ticks(test, 5);
    assert_int_equal(counts(test).away, 1);
    assert_true(raim_match_kick(test->match, id, ""));
    assert_int_equal(counts(test).players, 1);
}

TEST(only_clients_can_be_kicked_or_muted)
{
    struct test_match *test = open_two(with_bots(usual_def(), 2));
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
}

TEST(a_reason_that_cannot_be_told_is_not)
{
    struct test_match *test = open_two(usual_def());
    assert_true(raim_match_kick(test->match, id_of(test, 0), "\xff"));
    ticks(test, 1);
    assert_goodbye(&test->peers[0], RAIM_REASON_KICKED, "");
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
    assert_int_equal(rejected(test, RAIM_REJECTED_BANNED), 3);
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
}

TEST(who_is_muted_is_heard_by_nobody_until_it_may_speak_again)
{
    struct test_match *test = open_two(with_grace(usual_def(), 30));
    const raim_player_id id = id_of(test, 0);
    assert_true(raim_match_mute(test->match, id, true));
    const uint32_t before = test->peers[1].received_count;
    say(test, 0, "hear me");
    assert_int_equal(rejected(test, RAIM_REJECTED_MUTED), 1);
    // Another connection of the session changes nothing.
    resume(test, 5, test->peers[0].welcome.token);
    ticks(test, 5);
    say(test, 5, "hear me");
    ticks(test, 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_MUTED), 2);
    assert_int_equal(test->peers[1].received_count, before);
    assert_true(row_of(test, id).muted);
    assert_false(row_of(test, id_of(test, 1)).muted);
    assert_true(raim_match_mute(test->match, id, false));
    say(test, 5, "hear me");
    ticks(test, 1);
    assert_string_equal(last_received(&test->peers[1])->text, "hear me");
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
}

TEST(a_draining_match_lets_in_only_who_resumes)
{
    struct test_match *test = open_two(with_grace(usual_def(), 30));
    const raim_player_id id = id_of(test, 0);
    const struct raim_welcome welcome = test->peers[0].welcome;
    const uint8_t unknown[RAIM_TOKEN_BYTES] = {1};
    raim_match_drain(test->match, true);
    play(test, 2);
    watch(test, 3, 0);
    resume(test, 4, unknown);
    leave(test, 0);
    resume(test, 0, welcome.token);
    ticks(test, 5);
    for (uint32_t handle = 2; handle <= 4; handle++) {
        assert_goodbye(&test->peers[handle], RAIM_REASON_DRAINING, NULL);
        assert_int_not_equal(test->peers[handle].goodbye.text[0], '\0');
    }
    assert_int_equal(rejected(test, RAIM_REJECTED_DRAINING), 3);
    assert_int_equal(id_of(test, 0), id);
    assert_int_equal(counts(test).players, 2);
    assert_int_equal(counts(test).away, 0);
    raim_match_drain(test->match, false);
    play(test, 5);
    ticks(test, 5);
    assert_int_equal(counts(test).players, 3);
}
