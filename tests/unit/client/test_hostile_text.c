// SPDX-License-Identifier: MIT
// A hostile server's texts reach the application without invisible and bidirectional code points.
#include "client_fixture.h"

#include "utf8.h"

// A right-to-left override, a zero-width space, an isolate, a control, a soft hyphen, a byte that
// is no UTF-8, and a tag character, around two letters and an accent.
#define HOSTILE                                                                                    \
    "\xE2\x80\xAE"                                                                                 \
    "A\xE2\x80\x8B\xE2\x81\xA6\x01\xC2\xAD\xFF"                                                    \
    "d\xC3\xA9\xF3\xA0\x81\x81"
#define CLEAN "Ad\xC3\xA9"

TEST(strip_leaves_letters_alone)
{
    static const char *const rows[][2] = {
        {HOSTILE, CLEAN},
        {"", ""},
        {"\xE2\x80\xAE", ""},
        {"\xD8\xB9\xD8\xB1\xD8\xA8\xD9\x8A", "\xD8\xB9\xD8\xB1\xD8\xA8\xD9\x8A"}, // Arabic letters
        {"\xF0\x9F\x98\x80!", "\xF0\x9F\x98\x80!"},
        {"cut \xE2\x80", "cut "},
        {"\xC0\x80over\xED\xA0\x80long", "overlong"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        strcpy(text, rows[i][0]);
        raim_utf8_strip(text);
        assert_string_equal(text, rows[i][1]);
    }
}

TEST(texts_of_the_welcome_are_stripped)
{
    struct raim_welcome message = good_welcome();
    strcpy(message.arena, HOSTILE);
    strcpy(message.map_name, HOSTILE);
    strcpy(message.motd, HOSTILE);
    message.phase.phase = RAIM_PHASE_BREAK;
    strcpy(message.phase.next_map, HOSTILE);
    struct raim_client *client = enter(&message);
    assert_string_equal(raim_client_arena(client), CLEAN);
    assert_string_equal(raim_client_motd(client), CLEAN);
    assert_string_equal(raim_client_map(client)->name, CLEAN);
    assert_string_equal(raim_client_next_map(client), CLEAN);
}

TEST(names_chat_and_phases_are_stripped)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_JOINED, .player = OTHER, .entry = {.player = OTHER, .name = HOSTILE}},
        {.kind = RAIM_WIRE_CHAT, .player = OTHER, .text = HOSTILE},
        {.kind = RAIM_WIRE_PHASE, .phase = {.phase = RAIM_PHASE_BREAK, .next_map = HOSTILE}},
    };
    assert_true(tell_events(client, FIRST_EVENT, events, 3));
    assert_string_equal(raim_client_get_roster_entry(client, OTHER % RAIM_MAX_PLAYERS)->name,
                        CLEAN);
    assert_true(raim_client_next_event(client, &event)); // joined
    assert_true(raim_client_next_event(client, &event));
    assert_string_equal(event.text, CLEAN);
    assert_string_equal(raim_client_next_map(client), CLEAN);
}

TEST(the_text_of_a_goodbye_is_stripped)
{
    struct raim_client *client = player();
    const struct raim_goodbye goodbye = {.reason = RAIM_REASON_KICKED, .text = HOSTILE};
    assert_true(receive(client, raim_goodbye_write(&goodbye, bytes, sizeof bytes)));
    assert_string_equal(raim_client_get_end(client).text, CLEAN);
}
