// SPDX-License-Identifier: MIT
// The events of a client: chat, kills, rejections, and what it skips or forgets.
#include "chat.h"
#include "client_fixture.h"
#include "notice.h"

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
    raim_client_destroy(client);
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
    assert_true(receive(client, raim_chat_rejected_write(RAIM_CHAT_MUTED, bytes, sizeof bytes)));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_CHAT_REJECTED && event.text[0] == '\0');
    assert_string_equal(raim_client_chat_rejection_name(event.chat_rejection), "muted");
    raim_client_destroy(client);
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
    raim_client_destroy(client);
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
    raim_client_destroy(client);
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
    raim_client_destroy(client);
}

TEST(only_players_say_something)
{
    char text[RAIM_MAX_CHAT_BYTES + 1];
    struct raim_client *client = player();
    const size_t size = raim_client_write_chat(client, "hello", bytes, sizeof bytes);
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_CHAT);
    assert_true(raim_chat_read(&reader, text));
    assert_string_equal(text, "hello");
    assert_int_equal(raim_client_write_chat(client, "", bytes, sizeof bytes), 0);
    raim_client_destroy(client);
    client = spectator();
    assert_int_equal(raim_client_write_chat(client, "hello", bytes, sizeof bytes), 0);
    raim_client_destroy(client);
    client = test_client();
    assert_int_equal(raim_client_write_chat(client, "hello", bytes, sizeof bytes), 0);
    raim_client_destroy(client);
}

static bool receive_notice(struct raim_client *client, enum raim_notice_kind kind, const char *text)
{
    struct raim_notice notice = {.kind = kind};
    strcpy(notice.text, text);
    return receive(client, raim_notice_write(&notice, bytes, sizeof bytes));
}

TEST(a_line_for_this_player_alone_is_an_event)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    assert_true(receive_notice(client, RAIM_NOTICE_TEXT, "only\xE2\x80\xAE you"));
    assert_true(receive_notice(client, RAIM_NOTICE_CHALLENGE, "not shown"));
    assert_true(raim_client_next_event(client, &event));
    assert_int_equal(event.kind, RAIM_CLIENT_NOTICE);
    assert_string_equal(event.text, "only you");
    assert_false(event.by_operator);
    assert_false(raim_client_next_event(client, &event));
    raim_client_destroy(client);
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
    raim_client_destroy(client);
    struct raim_welcome message = good_welcome();
    message.capabilities = RAIM_CAPABILITY_ADMIN;
    client = enter(&message);
    const size_t size = raim_client_write_chat(client, "/help me", bytes, sizeof bytes);
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_NOTICE);
    assert_true(raim_notice_read(&reader, &notice));
    assert_string_equal(notice.text, "help me");
    assert_int_equal(notice.kind, RAIM_NOTICE_TEXT);
    char longer[RAIM_MAX_NOTICE_BYTES + 3] = "/";
    memset(longer + 1, 'x', RAIM_MAX_NOTICE_BYTES + 1);
    expect_rejection(client, longer, "length");
    longer[RAIM_MAX_NOTICE_BYTES + 1] = '\0';
    assert_true(raim_client_write_chat(client, longer, bytes, sizeof bytes) > 0);
    raim_client_destroy(client);
}
