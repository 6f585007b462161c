// SPDX-License-Identifier: MIT
// Chat in a match: receivers, cleaning, and the rate limit.
#include "peer_fixture.h"

#include "match_internal.h"

// Two players and two spectators, all with a snapshot.
static struct test_match *open_full_table(struct raim_match_def def)
{
    struct test_match *test = open_two(def);
    watch(test, 2, 0);
    watch(test, 3, 0);
    ticks(test, DELAY_TICKS + 10);
    assert_true(test->peers[2].any && test->peers[3].any);
    return test;
}

static void expect_rejection(struct test_match *test, uint32_t handle,
                             enum raim_chat_rejection rejection)
{
    struct peer *peer = &test->peers[handle];
    const uint32_t before = peer->chat_rejections;
    ticks(test, 6); // a tenth of a second
    assert_int_equal(peer->chat_rejections, before + 1);
    assert_int_equal(peer->rejected.chat_rejection, rejection);
}

// Says something that this player has not said before.
static void flood(struct test_match *test, uint32_t handle)
{
    static uint32_t number;
    char text[32];
    snprintf(text, sizeof text, "flood %u", number++);
    say(test, handle, text);
}

TEST(everybody_hears_what_a_player_says_and_spectators_late)
{
    struct test_match *test = open_full_table(usual_def());
    const uint32_t chat_in = raim_match_tick(test->match) + 1;
    say(test, 0, "good game");
    say(test, 1, "well played");
    ticks(test, DELAY_TICKS + 1);
    for (uint32_t i = 0; i < 4; i++) {
        const struct received_event *first = received_of(&test->peers[i], RAIM_WIRE_CHAT, 0);
        assert_int_equal(first->event_tick, chat_in + (i >= 2 ? DELAY_TICKS : 0));
        assert_int_equal(first->event.player, test->peers[0].welcome.player);
        assert_string_equal(first->event.text, "good game");
        const struct received_event *second = received_of(&test->peers[i], RAIM_WIRE_CHAT, 1);
        assert_int_equal(second->event.player, test->peers[1].welcome.player);
        assert_string_equal(second->event.text, "well played");
        assert_int_equal(count_received(&test->peers[i], RAIM_WIRE_CHAT), 2);
    }
    assert_int_equal(rejected(test, RAIM_REJECTED_CHAT), 0);
}

TEST(what_is_said_is_cleaned_as_names_are)
{
    struct test_match *test = open_full_table(usual_def());
    char longest[RAIM_MAX_CHAT_BYTES + 1];
    memset(longest, 'x', RAIM_MAX_CHAT_BYTES);
    longest[RAIM_MAX_CHAT_BYTES] = '\0';
    say(test, 0, "  \xe2\x80\xae\x1b[2J h\xc3\xa9 \n ");
    say(test, 0, longest);
    ticks(test, 1);
    assert_string_equal(received_of(&test->peers[1], RAIM_WIRE_CHAT, 0)->event.text,
                        "[2J h\xc3\xa9");
    assert_string_equal(received_of(&test->peers[1], RAIM_WIRE_CHAT, 1)->event.text, longest);
}

TEST(what_nobody_could_read_is_rejected)
{
    static const char *const texts[] = {"", "   ", "\x01\x02", "\xe2\x80\x8b", "\xff", "a\xc0\xaf"};
    struct test_match *test = open_full_table(usual_def());
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        say(test, 0, texts[i]);
        assert_int_equal(rejected(test, RAIM_REJECTED_CHAT), ++count);
    }
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 0);
    // A rejected chat does not count against the rate limit.
    for (int i = 0; i < 4; i++)
        flood(test, 0);
    ticks(test, 1);
    assert_int_equal(count_received(&test->peers[1], RAIM_WIRE_CHAT), 4);
}

TEST(four_things_may_be_said_at_once_and_then_one_a_second)
{
    struct test_match *test = open_full_table(usual_def());
    for (int i = 0; i < 10; i++)
        flood(test, 0);
    tick(test);
    assert_int_equal(count_received(&test->peers[1], RAIM_WIRE_CHAT), 4);
    assert_int_equal(rejected(test, RAIM_REJECTED_CHAT), 6);
    for (int i = 0; i < 600; i++) {
        flood(test, 0);
        tick(test);
    }
    assert_int_equal(count_received(&test->peers[1], RAIM_WIRE_CHAT), 4 + 10);
    // The rate limit of other players is unchanged.
    say(test, 1, "calm");
    tick(test);
    assert_int_equal(count_received(&test->peers[0], RAIM_WIRE_CHAT), 4 + 10 + 1);
    // The burst does not exceed four after any silence.
    ticks(test, 2000);
    for (int i = 0; i < 10; i++)
        flood(test, 0);
    tick(test);
    assert_int_equal(count_received(&test->peers[1], RAIM_WIRE_CHAT), 4 + 10 + 1 + 4);
}

TEST(the_last_text_again_is_rejected_for_ten_seconds)
{
    struct test_match *test = open_full_table(usual_def());
    say(test, 0, "buy gold");
    ticks(test, 9 * 60);
    say(test, 0, " buy\x01 gold ");
    expect_rejection(test, 0, RAIM_CHAT_REPEAT);
    say(test, 1, "buy gold"); // somebody else
    say(test, 0, "buy silver");
    say(test, 0, "buy gold"); // no longer the last one
    ticks(test, 10 * 60);
    say(test, 0, "buy gold");
    ticks(test, 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_CHAT), 1);
    assert_int_equal(count_received(&test->peers[1], RAIM_WIRE_CHAT), 5);
}

TEST(another_connection_of_a_session_may_not_say_more)
{
    struct test_match *test = open_full_table(usual_def());
    for (int i = 0; i < 4; i++)
        flood(test, 0);
    for (uint32_t handle = 4; handle < 10; handle++) {
        resume(test, handle, test->peers[0].welcome.token);
        flood(test, handle);
        tick(test);
    }
    assert_int_equal(count_received(&test->peers[1], RAIM_WIRE_CHAT), 4);
    assert_int_equal(rejected(test, RAIM_REJECTED_CHAT), 6);
}

TEST(only_players_speak)
{
    struct test_match *test = open_full_table(usual_def());
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = raim_chat_write(&(struct raim_chat){"psst"}, bytes, sizeof bytes);
    say(test, 2, "psst");
    say(test, 3, "psst");
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 2);
    raim_match_connect(test->match, 9, (const uint8_t[RAIM_TOKEN_BYTES]){9});
    say(test, 9, "before a hello");
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 3);
    to_match(test, 0, false, bytes, size); // on the other channel
    assert_int_equal(rejected(test, RAIM_REJECTED_UNEXPECTED), 4);
    to_match(test, 0, true, bytes, size - 1);
    assert_int_equal(rejected(test, RAIM_REJECTED_MALFORMED), 1);
    ticks(test, 5);
    assert_int_equal(count_received(&test->peers[0], RAIM_WIRE_CHAT), 0);
}

TEST(a_sender_alone_is_told_why_its_chat_is_rejected)
{
    struct test_match *test = open_full_table(usual_def());
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    say(test, 0, "\xff");
    expect_rejection(test, 0, RAIM_CHAT_TEXT);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_CHAT, bytes, sizeof bytes);
    raim_write_bits(&writer, RAIM_MAX_CHAT_BYTES + 1, 7);
    to_match(test, 0, true, bytes, raim_writer_finish(&writer));
    expect_rejection(test, 0, RAIM_CHAT_LENGTH);
    say(test, 2, "from a spectator");
    expect_rejection(test, 2, RAIM_CHAT_WATCHING);
    for (int i = 0; i < 5; i++)
        flood(test, 0);
    expect_rejection(test, 0, RAIM_CHAT_RATE);
    ticks(test, 600);
    const raim_player_id id = (raim_player_id)test->peers[0].welcome.player;
    assert_true(raim_match_mute(test->match, id, true));
    say(test, 0, "muted");
    expect_rejection(test, 0, RAIM_CHAT_MUTED);
    assert_true(raim_match_mute(test->match, id, false));
    say(test, 0, "heard");
    ticks(test, 12);
    assert_int_equal(test->peers[0].chat_rejections, 4);
    assert_int_equal(test->peers[1].chat_rejections, 0);
    // A flood of rejected chat causes ten messages a second at most.
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < 8; j++)
            say(test, 1, "");
        tick(test);
    }
    ticks(test, 6);
    assert_in_range(test->peers[1].chat_rejections, 9, 11);
}

// All players flood, join and leave for longer than the late audience's delay. The peers check that
// no event is missing.
TEST(a_flood_of_everybody_costs_nobody_an_event)
{
    struct raim_match_def def = usual_def();
    def.rules.respawn_delay = 0;
    def.rules.spawn_protection = 0;
    def.rules.fire_cooldown = 0.02;
    def.bots = 10;
    struct test_match *test = open_full_table(def);
    for (uint32_t i = 4; i < 10; i++)
        play(test, i);
    for (int i = 0; i < 2 * DELAY_TICKS; i++) {
        // A freed slot that is taken again starts with a full burst.
        for (uint32_t handle = 4; handle < 10 && i % 4 == 0; handle++) {
            leave(test, handle);
            play(test, handle);
        }
        for (uint32_t handle = 0; handle < 10; handle++)
            for (int j = 0; j < 6; j++)
                flood(test, handle);
        tick(test);
    }
    assert_true(count_received(&test->peers[1], RAIM_WIRE_CHAT) > 4 * DELAY_TICKS);
    assert_true(count_received(&test->peers[3], RAIM_WIRE_CHAT) > 0);
    assert_int_equal(rejected(test, RAIM_REJECTED_FULL), 0);
    ticks(test, DELAY_TICKS + 5);
    assert_int_equal(count_received(&test->peers[3], RAIM_WIRE_CHAT),
                     count_received(&test->peers[2], RAIM_WIRE_CHAT));
}

// Repeated joining, chatting and leaving between two ticks fills the event log. Then it has no room
// for more chat, but still for every player's death and leave.
TEST(words_leave_arena_for_everybodys_end)
{
    struct raim_match_def def = usual_def();
    struct test_match *test = open_full_table(def);
    for (uint32_t handle = 4; handle < 9; handle++)
        play(test, handle);
    ticks(test, 5);
    for (int i = 0; i < 100; i++) {
        play(test, 10);
        for (int j = 0; j < 4; j++)
            flood(test, 10);
        say_goodbye(test, 10);
        leave(test, 10);
    }
    assert_true(rejected(test, RAIM_REJECTED_FULL) > 0);
    say(test, 0, "what is this?");
    assert_true(rejected(test, RAIM_REJECTED_CHAT) > 0);
    for (uint32_t handle = 0; handle < 9; handle++)
        if (handle != 2 && handle != 3)
            leave(test, handle);
    assert_int_equal(counts(test).players, 0);
    ticks(test, DELAY_TICKS + 5);
    assert_int_equal(count_received(&test->peers[3], RAIM_WIRE_CHAT),
                     count_received(&test->peers[2], RAIM_WIRE_CHAT));
    assert_true(count_received(&test->peers[3], RAIM_WIRE_CHAT) > 20);
}
