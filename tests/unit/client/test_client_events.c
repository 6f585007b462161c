// SPDX-License-Identifier: MIT
// The events of a client: chat, kills, rejections, and what it skips or forgets.
#include "chat.h"
#include "client_fixture.h"

#include <math.h>

static struct raim_wire_event chat_of(int number)
{
    struct raim_wire_event event = {.kind = RAIM_WIRE_CHAT, .player = OWN};
    snprintf(event.text, sizeof event.text, "text %d", number);
    return event;
}

TEST(chat_and_kills_are_received)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        chat_of(1),
        {.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = OWN, .rewind = 6},
        chat_of(2),
    };
    assert_true(tell_events(client, FIRST_EVENT, events, 3));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_CHAT && event.player == OWN);
    assert_string_equal(event.text, "text 1");
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_KILL && event.player == OTHER && event.victim == OWN);
    assert_true(fabs(event.rewound_ms - 100) < 1e-9 && event.text[0] == '\0');
    assert_true(raim_client_next_event(client, &event));
    assert_string_equal(event.text, "text 2");
    assert_false(raim_client_next_event(client, &event));
}

TEST(the_operator_and_rejections_of_chat_have_marks_of_their_own)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    struct raim_wire_event said = {.kind = RAIM_WIRE_CHAT, .by_operator = true, .text = "listen"};
    assert_true(tell_events(client, FIRST_EVENT, &said, 1));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_CHAT && event.by_operator);
    assert_int_equal(event.player, RAIM_NOBODY);
    const struct raim_wire_event other = chat_of(1);
    assert_true(tell_events(client, FIRST_EVENT + 1, &other, 1));
    assert_true(raim_client_next_event(client, &event));
    assert_false(event.by_operator);
    assert_true(
        receive(client, raim_chat_rejected_write(&(struct raim_chat_rejected){RAIM_CHAT_MUTED},
                                                 bytes, sizeof bytes)));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_CHAT_REJECTED && event.text[0] == '\0');
    assert_string_equal(raim_client_chat_rejection_name(event.chat_rejection), "muted");
}

// What a later server may send: a capability, a kind of message and a kind of event that this
// client does not know.
TEST(what_only_later_clients_know_is_skipped)
{
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    message.capabilities = 0xFFFFFFFF;
    strcpy(message.arena, "arena-1");
    assert_string_equal(raim_client_arena(client), "");
    assert_true(welcome(client, &message));
    assert_string_equal(raim_client_arena(client), "arena-1");
    client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_OTHER, .type = 255, .size = 3, .text = {1, 0, 2}},
        chat_of(1),
    };
    assert_true(tell_events(client, FIRST_EVENT, events, 2));
    assert_true(raim_client_next_event(client, &event));
    assert_string_equal(event.text, "text 1");
    assert_int_equal(raim_client_get_stats(client)->events, 2); // both are acknowledged
    for (uint32_t kind = RAIM_MESSAGE_KINDS; kind <= RAIM_MESSAGE_MAX_KIND; kind++) {
        const uint8_t unknown[] = {(uint8_t)(kind << 1), 0xFF, 0x12};
        assert_true(raim_client_receive(client, 0, unknown, sizeof unknown));
    }
    assert_int_equal(raim_client_get_stats(client)->decode_errors, 0);
    const uint8_t none[] = {0, 0xFF};
    assert_false(raim_client_receive(client, 0, none, sizeof none));
}

TEST(what_nobody_reads_makes_way)
{
    enum { KEPT = 1024, TEXTS = 32 };
    struct raim_client *client = player();
    struct raim_client_event event;
    uint32_t sequence = FIRST_EVENT;
    for (int i = 0; i < 100; i++) {
        const struct raim_wire_event chat = chat_of(i);
        assert_true(tell_events(client, sequence++, &chat, 1));
    }
    for (int i = 100 - TEXTS; i < 100; i++) {
        const struct raim_wire_event chat = chat_of(i);
        assert_true(raim_client_next_event(client, &event));
        assert_string_equal(event.text, chat.text);
    }
    assert_false(raim_client_next_event(client, &event));
    for (uint32_t i = 0; i < 2 * KEPT; i++) {
        const struct raim_wire_event kill = {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = OWN};
        assert_true(tell_events(client, sequence++, &kill, 1));
    }
    for (int i = 0; i < KEPT; i++)
        assert_true(raim_client_next_event(client, &event) && event.kind == RAIM_CLIENT_KILL);
    assert_false(raim_client_next_event(client, &event));
}

TEST(only_players_say_something)
{
    struct raim_chat chat;
    struct raim_client *client = player();
    const size_t size = raim_client_write_chat(client, "hello", bytes, sizeof bytes);
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_CHAT);
    assert_true(raim_chat_read(&reader, &chat));
    assert_string_equal(chat.text, "hello");
    assert_int_equal(raim_client_write_chat(client, "", bytes, sizeof bytes), 0);
    client = spectator();
    assert_int_equal(raim_client_write_chat(client, "hello", bytes, sizeof bytes), 0);
    client = test_client();
    assert_int_equal(raim_client_write_chat(client, "hello", bytes, sizeof bytes), 0);
}

static bool receive_notice(struct raim_client *client, bool challenge, const char *text)
{
    struct raim_notice notice = {.challenge = challenge};
    strcpy(notice.text, text);
    return receive(client, raim_notice_write(&notice, bytes, sizeof bytes));
}

TEST(a_line_for_this_player_alone_is_an_event)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    assert_true(receive_notice(client, false, "only\xE2\x80\xAE you"));
    assert_true(receive_notice(client, true, "not shown"));
    assert_true(raim_client_next_event(client, &event));
    assert_int_equal(event.kind, RAIM_CLIENT_NOTICE);
    assert_string_equal(event.text, "only you");
    assert_false(event.by_operator);
    assert_false(raim_client_next_event(client, &event));
}

static void expect_rejection(struct raim_client *client, const char *text, const char *name)
{
    struct raim_client_event event;
    assert_int_equal(raim_client_write_chat(client, text, bytes, sizeof bytes), 0);
    assert_true(raim_client_next_event(client, &event));
    assert_int_equal(event.kind, RAIM_CLIENT_CHAT_REJECTED);
    assert_string_equal(raim_client_chat_rejection_name(event.chat_rejection), name);
}

TEST(a_command_goes_only_to_a_server_that_reads_it)
{
    struct raim_notice notice;
    struct raim_client *client = player();
    expect_rejection(client, "/admin login ada secret", "command");
    struct raim_welcome message = good_welcome();
    message.capabilities = RAIM_CAPABILITY_ADMIN;
    client = enter(&message);
    const size_t size = raim_client_write_chat(client, "/help me", bytes, sizeof bytes);
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_NOTICE);
    assert_true(raim_notice_read(&reader, &notice));
    assert_string_equal(notice.text, "help me");
    assert_false(notice.challenge);
    char longer[RAIM_MAX_NOTICE_BYTES + 3] = "/";
    memset(longer + 1, 'x', RAIM_MAX_NOTICE_BYTES + 1);
    expect_rejection(client, longer, "length");
    longer[RAIM_MAX_NOTICE_BYTES + 1] = '\0';
    assert_true(raim_client_write_chat(client, longer, bytes, sizeof bytes) > 0);
}

TEST(events_that_name_no_place_change_nobody)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_JOINED, .player = OTHER, .entry = {.player = OTHER, .name = "other"}},
        {.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = BEYOND},
    };
    assert_false(tell_events(client, FIRST_EVENT, events, 2));
    assert_int_equal(raim_client_get_roster_entry(client, 1)->id, RAIM_NOBODY);
    assert_false(raim_client_next_event(client, &event));

    // The numbers of the rejected ones are not taken either.
    assert_true(tell_events(client, FIRST_EVENT, events, 1));
    assert_int_equal(raim_client_get_roster_entry(client, 1)->id, OTHER);
    assert_int_equal(raim_client_get_stats(client)->events_repeated, 0);
}

TEST(late_events_catch_up_with_a_newer_roster)
{
    enum { NEXT = OTHER + RAIM_MAX_PLAYERS }; // in the place of the other, later
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    message.player = RAIM_NOBODY;
    message.roster_count = 2;
    assert_true(welcome(client, &message));
    const struct raim_roster_entry now[] = {
        {.player = OWN, .score = 2, .name = "one"},
        {.player = NEXT, .deaths = 1, .name = "next"},
    };
    assert_true(tell_roster(client, now, 2));
    const struct raim_client_roster_entry *one = raim_client_get_roster_entry(client, 0);
    const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, 1);

    // Whoever came later is not mistaken for the one before.
    const struct raim_wire_event before[] = {
        {.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = OWN, .score = 5, .deaths = 4},
        {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = OTHER, .score = 1, .deaths = 3},
        {.kind = RAIM_WIRE_LEFT, .player = OTHER},
    };
    assert_true(tell_events(client, FIRST_EVENT, before, 2));
    assert_true(tell_events(client, FIRST_EVENT + 2, before + 2, 1));
    assert_int_equal(member->id, NEXT);
    assert_true(member->score == 0 && member->deaths == 1 && one->deaths == 4);

    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_JOINED, .player = NEXT, .entry = {.player = NEXT, .name = "next"}},
        {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = NEXT, .score = 2, .deaths = 1},
    };
    assert_true(tell_events(client, FIRST_EVENT + 3, events, 2));
    assert_true(member->id == NEXT && member->deaths == 1 && one->score == 2);

    // Told again, they change nothing.
    assert_true(tell_events(client, FIRST_EVENT + 1, before + 1, 1));
    assert_true(one->score == 2 && one->deaths == 4);
    // Behind a gap, too.
    const struct raim_wire_event kill = {
        .kind = RAIM_WIRE_KILL, .player = OWN, .victim = NEXT, .score = 9};
    assert_true(tell_events(client, FIRST_EVENT + 6, &kill, 1));
    assert_true(one->score == 2);
    const struct raim_client_stats *stats = raim_client_get_stats(client);
    assert_true(stats->events == 5 && stats->events_ahead == 1 && stats->events_repeated == 1);
    assert_true(stats->kills_seen == 3 && stats->kills == 0 && stats->deaths == 0);
}
