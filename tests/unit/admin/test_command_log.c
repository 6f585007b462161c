// SPDX-License-Identifier: MIT
// Who commanded what: the event, and names of any bytes.
#include "commands.h"
#include "event_journal.h"
#include "json_writer.h"
#include "test.h"

TEST(a_name_cannot_forge_a_line)
{
    static const char *const names[][2] = {
        {"ada", "ada"},
        {"", ""},
        {"eve via=raimctl\n", "eve_via=raimctl_"},
        {"\"\\\xff\x7f", "____"},
    };
    char by[COMMAND_BY_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        command_log_set_by(by, names[i][0]);
        assert_string_equal(by, names[i][1]);
    }
    char longer[2 * COMMAND_BY_BYTES];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    command_log_set_by(by, longer);
    assert_int_equal(strlen(by), COMMAND_BY_BYTES - 1);
}

TEST(a_command_is_an_event_whose_line_is_private)
{
    struct server_events *events = server_events_open(NULL);
    const uint64_t begin = event_journal_newest(server_events_journal(events));
    const struct command_note note = {.by = "ada",
                                      .via = "game",
                                      .command = "ban",
                                      .arena = "duel",
                                      .player = "",
                                      .fields = " address=192.0.2.1 reason=\"a\\b\""};
    command_log_write(events, &note);
    const struct journal_event *event = event_journal_next(server_events_journal(events), begin);
    assert_string_equal(event->kind, "command");
    assert_true(json_text_is_object(event->text));
    assert_non_null(strstr(event->text, "\"arena\":\"duel\""));
    const char *private = strstr(event->text, "\"private\"");
    assert_non_null(private);
    assert_true(strstr(event->text, "192.0.2.1") > private);
    assert_true(strstr(event->text, "\"by\":\"ada\",\"via\":\"game\",\"command\":\"ban\"") <
                private);
    command_log_write(NULL, &note); // nobody keeps events
    server_events_close(events);
}
