// SPDX-License-Identifier: MIT
// Commands that players type: who may, how many, who reads the answers, and what reaches the
// operator's side.
#include "transition_fixture.h"

// Lines that a connection has received alone, and chat lines that anybody has.
struct received {
    uint32_t notices, challenges, most_in_a_tick;
    char first[RAIM_MAX_NOTICE_BYTES + 1], last[RAIM_MAX_NOTICE_BYTES + 1];
};

static struct received listen(struct test_match *test, uint32_t handle, int count)
{
    struct received received = {0};
    struct raim_outgoing out;
    for (int i = 0; i < count; i++) {
        uint32_t in_tick = 0;
        raim_match_step(test->match);
        while (raim_match_outgoing(test->match, &out)) {
            raim_reader reader = raim_reader_make(out.data, out.size);
            struct raim_notice notice;
            if (raim_message_read(&reader) != RAIM_MESSAGE_NOTICE)
                continue;
            assert_int_equal(out.client, handle); // nobody else receives one
            assert_true(out.reliable);
            assert_true(raim_notice_read(&reader, &notice));
            strcpy(received.notices == 0 ? received.first : received.last, notice.text);
            strcpy(received.last, notice.text);
            received.notices++;
            received.challenges += notice.challenge;
            in_tick++;
        }
        if (in_tick > received.most_in_a_tick)
            received.most_in_a_tick = in_tick;
    }
    return received;
}

static struct test_match *open_two_admins(void)
{
    struct test_match *test = open_test_match(usual_def());
    enter(test, 0, RAIM_CAPABILITY_ADMIN, false);
    enter(test, 1, RAIM_CAPABILITY_ADMIN, false);
    ticks(test, 5);
    return test;
}

static void command(struct test_match *test, uint32_t handle, const char *text)
{
    struct raim_notice notice = {0};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    strcpy(notice.text, text);
    to_match(test, handle, true, bytes, raim_notice_write(&notice, bytes, sizeof bytes));
}

TEST(help_lists_the_commands_to_its_sender_alone)
{
    static const char *const spellings[] = {"help", "/help", "  /help  "};
    struct test_match *test = open_two_admins();
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        command(test, 0, spellings[i]);
        const struct received received = listen(test, 0, 20);
        assert_true(received.notices >= 2);
        assert_int_equal(received.most_in_a_tick, 1);
        assert_non_null(strstr(received.first, "/help"));
    }
    say(test, 0, "/help");
    assert_true(listen(test, 0, 20).notices >= 2);
    say(test, 0, "\xe2\x80\x8b /help"); // after an invisible character
    assert_true(listen(test, 0, 20).notices >= 2);
}

TEST(a_command_is_never_forwarded)
{
    struct test_match *test = open_two_admins();
    const uint32_t events = raim_match_events(test->match);
    say(test, 0, "/admin login ada secret");
    say(test, 0, "\x01 /admin login ada secret");
    command(test, 0, "admin login ada secret");
    command(test, 0, "say secret");
    ticks(test, 5);
    assert_int_equal(raim_match_events(test->match), events);
}

TEST(an_unknown_command_is_rejected_in_words)
{
    struct test_match *test = open_two_admins();
    command(test, 0, "frobnicate the world");
    const struct received received = listen(test, 0, 5);
    assert_int_equal(received.notices, 1);
    assert_non_null(strstr(received.last, "/frobnicate"));
    assert_non_null(strstr(received.last, "/help"));
    assert_int_equal(rejected(test, RAIM_REJECTED_COMMAND), 1);
    char longest[RAIM_MAX_NOTICE_BYTES + 1] = "";
    for (size_t i = 0; i < RAIM_MAX_NOTICE_BYTES / 2; i++)
        strcat(longest, "\xc3\xa9");
    command(test, 0, longest);
    assert_int_equal(listen(test, 0, 5).notices, 1);
    command(test, 0, "");
    assert_int_equal(listen(test, 0, 5).notices, 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_COMMAND), 3);
}

TEST(a_client_without_notices_receives_the_reason)
{
    struct test_match *test = open_test_match(usual_def());
    play(test, 0);
    ticks(test, 5);
    say(test, 0, "/frobnicate");
    say(test, 0, "/help"); // has nowhere to write
    ticks(test, 12);
    assert_int_equal(test->peers[0].chat_rejections, 1);
    assert_int_equal(test->peers[0].rejected.chat_rejection, RAIM_CHAT_COMMAND);
}

TEST(eight_commands_at_once_and_then_two_a_second)
{
    struct test_match *test = open_two_admins();
    for (int i = 0; i < 20; i++)
        command(test, 0, "admin help");
    assert_int_equal(rejected(test, RAIM_REJECTED_COMMAND), 12 + 4); // the queue has room for 4
    ticks(test, 60);
    const uint64_t before = rejected(test, RAIM_REJECTED_COMMAND);
    struct raim_match_line line;
    while (raim_match_next_line(test->match, &line))
        assert_string_equal(line.text, "help");
    for (int i = 0; i < 4; i++)
        command(test, 0, "admin help");
    assert_int_equal(rejected(test, RAIM_REJECTED_COMMAND), before + 2);
}

// However many answers there are, memory is bounded and one message leaves per tick.
TEST(answers_beyond_the_queue_are_dropped)
{
    struct test_match *test = open_two_admins();
    for (int i = 0; i < 1000; i++) {
        raim_match_notice(test->match, &test->match->connections[0], "line");
        command(test, 0, "help");
    }
    assert_int_equal(listen(test, 0, 60).notices, RAIM_NOTICES);
}

TEST(a_spectator_has_no_commands)
{
    struct test_match *test = open_two_admins();
    enter(test, 2, RAIM_CAPABILITY_ADMIN, true);
    ticks(test, 5);
    command(test, 2, "help");
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 1);
    ticks(test, 12);
    assert_int_equal(test->peers[2].rejected.chat_rejection, RAIM_CHAT_WATCHING);
}

TEST(what_a_client_may_not_send_is_malformed)
{
    struct test_match *test = open_two_admins();
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_notice challenge = {.challenge = true, .text = "help"};
    const size_t size = raim_notice_write(&challenge, bytes, sizeof bytes);
    to_match(test, 0, true, bytes, size);
    to_match(test, 0, true, bytes, size - 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 2);
    to_match(test, 0, false, bytes, size); // on the other channel
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 1);
    assert_int_equal(listen(test, 0, 5).notices, 0);
}

static struct raim_match_line next_line(struct test_match *test)
{
    struct raim_match_line line;
    assert_true(raim_match_next_line(test->match, &line));
    return line;
}

TEST(an_admins_line_and_its_answer)
{
    struct test_match *test = open_two_admins();
    command(test, 0, "admin  login ada secret words ");
    const struct raim_match_line line = next_line(test);
    struct raim_match_line none;
    assert_false(raim_match_next_line(test->match, &none));
    assert_string_equal(line.text, "login ada secret words");
    assert_string_equal(line.name, "player");
    assert_int_equal(line.level, 0);
    assert_string_equal(line.admin, "");
    assert_true(raim_match_send_challenge(test->match, line.player, line.epoch, "abc"));
    assert_int_equal(listen(test, 0, 5).challenges, 1);
    assert_true(raim_match_set_admin(test->match, line.player, line.epoch, 2, "ada"));
    command(test, 0, "admin kick 3");
    assert_int_equal(next_line(test).level, 2);
    command(test, 0, "admin kick 3");
    assert_string_equal(next_line(test).admin, "ada");
    assert_true(raim_match_send_notice(test->match, line.player, line.epoch, "done"));
    assert_string_equal(listen(test, 0, 5).last, "done");
    // Not of another connection, nor of another player.
    assert_false(raim_match_set_admin(test->match, line.player, line.epoch + 1, 3, "ada"));
    assert_false(raim_match_send_notice(test->match, line.player, line.epoch + 1, "x"));
    assert_false(raim_match_set_admin(test->match, line.player + 1024, line.epoch, 3, "ada"));
    assert_false(raim_match_set_admin(test->match, RAIM_NOBODY, line.epoch, 3, "ada"));
    leave(test, 0);
    assert_false(raim_match_set_admin(test->match, line.player, line.epoch, 3, "ada"));
}

TEST(a_resumed_session_is_no_admins)
{
    struct test_match *test = open_two_admins();
    command(test, 0, "admin login ada secret");
    const struct raim_match_line line = next_line(test);
    assert_true(raim_match_set_admin(test->match, line.player, line.epoch, 3, "ada"));
    ticks(test, 3);
    resume(test, 2, test->peers[0].welcome.token);
    ticks(test, 5);
    command(test, 2, "admin kick 3");
    const struct raim_match_line after = next_line(test);
    assert_int_equal(after.player, line.player);
    assert_int_equal(after.level, 0);
    assert_string_equal(after.admin, "");
    assert_false(raim_match_set_admin(test->match, line.player, line.epoch, 3, "ada"));
}

TEST(strangers_leave_arena_for_lines_of_admins)
{
    struct test_match *test = open_two_admins();
    command(test, 1, "admin login ada secret");
    const struct raim_match_line line = next_line(test);
    assert_true(raim_match_set_admin(test->match, line.player, line.epoch, 1, "ada"));
    for (int i = 0; i < 8; i++)
        command(test, 0, "admin login x y");
    command(test, 1, "admin kick 3");
    uint32_t strangers = 0;
    struct raim_match_line next = next_line(test);
    for (; next.level == 0; next = next_line(test))
        strangers++;
    assert_int_equal(strangers, RAIM_MATCH_LINES / 2);
    assert_string_equal(next.text, "kick 3");
}

TEST(a_change_of_map_keeps_admins_and_their_lines)
{
    struct test_match *test = open_two_admins();
    command(test, 0, "admin login ada secret");
    const struct raim_match_line line = next_line(test);
    assert_true(raim_match_set_admin(test->match, line.player, line.epoch, 3, "ada"));
    command(test, 0, "admin map dust");
    raim_match_notice(test->match, &test->match->connections[0], "the map changes");
    succeed(test, usual_def(), true);
    assert_string_equal(next_line(test).text, "map dust");
    assert_string_equal(listen(test, 0, 10).last, "the map changes");
    command(test, 0, "admin list");
    assert_int_equal(next_line(test).level, 3);
}
