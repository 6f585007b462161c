// SPDX-License-Identifier: MIT
// Tests of the fields that the journal gets with a line.
#include "journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN "PRIORITY=6\nSYSLOG_IDENTIFIER=raimd\nMESSAGE="

static void check(const char *line, const char *fields)
{
    char entry[JOURNAL_ENTRY_BYTES + 1];
    char wanted[JOURNAL_ENTRY_BYTES] = BEGIN;
    entry[journal_write_entry(entry, 6, line)] = '\0';
    strcat(wanted, line);
    strcat(wanted, "\n");
    strcat(wanted, fields);
    assert_string_equal(entry, wanted);
}

static void test_event_is_the_words_before_the_first_key(void **state)
{
    (void)state;
    check("stopped", "EVENT=stopped\n");
    check("stopping signal=TERM", "EVENT=stopping\n");
    check("out of memory", "EVENT=out of memory\n");
    check("signal=HUP accepted", "");
    check("status failed: cannot bind: x=1", "EVENT=status failed\n");
    check(":", "");
}

static void test_name_is_of_what_the_line_begins_with(void **state)
{
    (void)state;
    check("arena started name=duel port=7246", "EVENT=arena started\nARENA=duel\n");
    check("arena failed name=duel: cannot bind", "EVENT=arena failed\nARENA=duel\n");
    check("status started name=duel", "EVENT=status started\n");
    check("arenas started name=duel", "EVENT=arenas started\n");
}

static void test_arena_and_player_are_keys_of_any_line(void **state)
{
    (void)state;
    check("kicked player=7 arena=duel", "EVENT=kicked\nARENA=duel\nPLAYER=7\n");
    check("kicked player= arena=a arena=b", "EVENT=kicked\nARENA=a\n");
    check("kicked subarena=x", "EVENT=kicked\n");
    check("control order=mute arena=duel player=1030", "EVENT=control\nARENA=duel\nPLAYER=1030\n");
    check("control order=kick arena=duel player=1030 reason=\"player=7 arena=x\"",
          "EVENT=control\nARENA=duel\nPLAYER=1030\n");
}

static void test_a_line_of_any_length_fits(void **state)
{
    (void)state;
    char line[2 * JOURNAL_ENTRY_BYTES];
    char entry[JOURNAL_ENTRY_BYTES + 1];
    for (size_t size = 0; size < sizeof line; size++) {
        memset(line, 'x', size);
        line[size] = '\0';
        const size_t written = journal_write_entry(entry, 6, line);
        assert_true(written < JOURNAL_ENTRY_BYTES);
        assert_int_equal(entry[written - 1], '\n');
    }
}

static void test_every_line_of_the_log_fits_whole(void **state)
{
    (void)state;
    char line[1024];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    memcpy(line, "arena arena=", 12);
    char entry[JOURNAL_ENTRY_BYTES + 1];
    entry[journal_write_entry(entry, 6, line)] = '\0';
    assert_non_null(strstr(entry, "MESSAGE=arena arena=x"));
    assert_non_null(strstr(entry, "\nEVENT=arena\nARENA=x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_is_the_words_before_the_first_key),
        cmocka_unit_test(test_name_is_of_what_the_line_begins_with),
        cmocka_unit_test(test_arena_and_player_are_keys_of_any_line),
        cmocka_unit_test(test_a_line_of_any_length_fits),
        cmocka_unit_test(test_every_line_of_the_log_fits_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
