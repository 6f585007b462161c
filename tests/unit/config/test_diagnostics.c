// SPDX-License-Identifier: MIT
// The report of a configuration's mistakes in each of its styles.
#define _GNU_SOURCE
#include "config_fixture.h"
#include "diagnostics.h"
#include "source.h"
#include "test.h"

static char *text;
static size_t size;

static struct diagnostics begin(enum diagnostics_style style)
{
    return (struct diagnostics){.out = open_memstream(&text, &size), .style = style};
}

static void assert_reported(struct diagnostics *report, const char *expected)
{
    diagnostics_end(report);
    fclose(report->out);
    assert_string_equal(text, expected);
    free(text);
}

TEST(text_is_one_line_each_and_warnings_do_not_count)
{
    struct diagnostics report = begin(DIAGNOSTICS_TEXT);
    diagnostics_add(&report, "a:1: k", "got %d", 5);
    diagnostics_warn(&report, "a:2", "odd\n");
    assert_int_equal(report.problems, 1);
    assert_int_equal(report.entries, 2);
    assert_reported(&report, "a:1: k: got 5\na:2: warning: odd?\n");
}

TEST(journal_lines_begin_with_their_priority)
{
    struct diagnostics report = begin(DIAGNOSTICS_JOURNAL);
    diagnostics_add(&report, "a:1: k", "got %d", 5);
    diagnostics_warn(&report, "a:2", "odd");
    assert_reported(&report, "<3>a:1: k: got 5\n<4>a:2: warning: odd\n");
}

TEST(json_of_nothing_is_an_empty_array)
{
    struct diagnostics report = begin(DIAGNOSTICS_JSON);
    assert_reported(&report, "[]\n");
}

TEST(json_takes_places_apart)
{
    struct diagnostics report = begin(DIAGNOSTICS_JSON);
    diagnostics_add(&report, "a.conf:12: arenas[0].port", "got %d", 5);
    diagnostics_add(&report, "a.conf:7", "syntax");
    diagnostics_add(&report, "a.conf", "missing");
    diagnostics_warn(&report, "a: b:9.conf:3: @include", "odd");
    diagnostics_add(&report, "a:4:5", "no key");
    diagnostics_add(&report, "a: b", "no line: no key");
    assert_reported(
        &report,
        "[\n"
        "  {\"file\": \"a.conf\", \"line\": 12, \"key\": \"arenas[0].port\", \"message\": "
        "\"got 5\"},\n"
        "  {\"file\": \"a.conf\", \"line\": 7, \"key\": null, \"message\": \"syntax\"},\n"
        "  {\"file\": \"a.conf\", \"line\": null, \"key\": null, \"message\": \"missing\"},\n"
        "  {\"file\": \"a: b:9.conf\", \"line\": 3, \"key\": \"@include\", \"message\": "
        "\"warning: odd\"},\n"
        "  {\"file\": \"a:4\", \"line\": 5, \"key\": null, \"message\": \"no key\"},\n"
        "  {\"file\": \"a: b\", \"line\": null, \"key\": null, \"message\": "
        "\"no line: no key\"}\n"
        "]\n");
}

static void assert_message(const char *message, const char *expected)
{
    struct diagnostics report = begin(DIAGNOSTICS_JSON);
    diagnostics_add(&report, "a", "%s", message);
    char *whole;
    assert_true(asprintf(&whole,
                         "[\n  {\"file\": \"a\", \"line\": null, \"key\": null, "
                         "\"message\": \"%s\"}\n]\n",
                         expected) > 0);
    assert_reported(&report, whole);
    free(whole);
}

TEST(names_of_files_are_safe_to_look_at_and_whole_in_json)
{
    struct diagnostics report = begin(DIAGNOSTICS_TEXT);
    diagnostics_add(&report, "a\nb:1", "x");
    assert_reported(&report, "a?b:1: x\n");
    report = begin(DIAGNOSTICS_JSON);
    diagnostics_add(&report, "a\nb:1", "x");
    assert_reported(&report, "[\n  {\"file\": \"a\\u000ab\", \"line\": 1, \"key\": null, "
                             "\"message\": \"x\"}\n]\n");
}

TEST(json_holds_characters_whatever_the_bytes)
{
    assert_message("a \"b\" \\", "a \\\"b\\\" \\\\");
    assert_message("tab\tbell\a", "tab?bell?");
    assert_message("\u00fc \u20ac \U0001F600", "\u00fc \u20ac \U0001F600");
    assert_message("\xff", "\\ufffd");
    assert_message("\xc3", "\\ufffd");                                  // cut
    assert_message("\xe2\x82|", "\\ufffd\\ufffd|");                     // cut
    assert_message("\xc0\xaf", "\\ufffd\\ufffd");                       // overlong
    assert_message("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd");            // a surrogate
    assert_message("\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"); // beyond the last
    assert_message("\x80", "\\ufffd");
}

// --- Source ---

// Which file a path in a configuration names.

// Asserts what a path in etc/raimd.conf is found as, where share/ is installed.
static void assert_finds(const char *path, const char *expected)
{
    char *found = source_find(path_of("etc/raimd.conf"), path, path_of("share"));
    assert_string_equal(found, expected);
    free(found);
}

TEST(a_map_beside_the_configuration_takes_the_place_of_an_installed_one)
{
    assert_int_equal(mkdir(path_of("etc"), 0700), 0);
    assert_int_equal(mkdir(path_of("share"), 0700), 0);
    write_text("share/duel.conf", MAP);
    assert_finds("duel.conf", path_of("share/duel.conf"));
    write_text("etc/duel.conf", MAP);
    assert_finds("duel.conf", path_of("etc/duel.conf"));
}

TEST(a_map_that_is_nowhere_is_missed_beside_the_configuration)
{
    assert_finds("none.conf", path_of("etc/none.conf"));
    assert_finds("/none.conf", "/none.conf");
}

TEST_EACH(set_up, NULL)
