// SPDX-License-Identifier: MIT
// A typed line: whole characters only, never more than fits, and edited at its caret.
#include "entry.h"
#include "test.h"

enum { MAX = ENTRY_BYTES - 1 };

static void press(struct entry *entry, enum window_command command)
{
    const struct window_event event = {.kind = WINDOW_PRESSED, .command = command};
    assert_true(entry_handle(entry, &event, MAX));
}

TEST(characters_are_erased_whole)
{
    struct entry entry = {0};
    entry_type(&entry, "a\u00e9\u2026\U0001F600", MAX);
    static const char *const left[] = {"a\u00e9\u2026", "a\u00e9", "a", "", ""};
    for (int i = 0; i < 5; i++) {
        press(&entry, COMMAND_ERASE);
        assert_string_equal(entry.text, left[i]);
    }
}

TEST(what_does_not_fit_is_left_out_whole)
{
    struct entry entry = {0};
    for (int i = 0; i < 1000; i++)
        entry_type(&entry, "\u2026", MAX); // of three bytes
    assert_int_equal(strlen(entry.text), MAX / 3 * 3);
    struct entry odd = {0};
    entry_type(&odd, "ab", 10);
    for (int i = 0; i < 1000; i++)
        entry_type(&odd, "\u2026", 10);
    assert_int_equal(strlen(odd.text), 8);
    assert_int_equal((unsigned char)odd.text[strlen(odd.text) - 1], 0xA6);
}

TEST(a_line_is_edited_at_its_caret)
{
    struct entry entry = {0};
    entry_type(&entry, "a\u00e9c", MAX);
    press(&entry, COMMAND_LEFT);
    press(&entry, COMMAND_LEFT);
    entry_type(&entry, "b", MAX);
    assert_string_equal(entry.text, "ab\u00e9c");
    press(&entry, COMMAND_DELETE);
    assert_string_equal(entry.text, "abc");
    press(&entry, COMMAND_HOME);
    press(&entry, COMMAND_LEFT);  // no further
    press(&entry, COMMAND_ERASE); // nothing before it
    entry_type(&entry, "\u2026", MAX);
    press(&entry, COMMAND_END);
    press(&entry, COMMAND_RIGHT);
    press(&entry, COMMAND_DELETE);
    entry_type(&entry, "d", MAX);
    assert_string_equal(entry.text, "\u2026abcd");
    press(&entry, COMMAND_HOME);
    press(&entry, COMMAND_RIGHT);
    press(&entry, COMMAND_ERASE);
    assert_string_equal(entry.text, "abcd");
}

TEST(a_selected_line_is_replaced_and_a_caret_key_keeps_it)
{
    struct entry entry = {0};
    entry_set(&entry, "old.example.org");
    entry_type(&entry, "n", MAX);
    entry_type(&entry, "ew", MAX);
    assert_string_equal(entry.text, "new");
    press(&entry, COMMAND_SELECT_ALL);
    press(&entry, COMMAND_LEFT); // to the begin
    entry_type(&entry, "a", MAX);
    assert_string_equal(entry.text, "anew");
    press(&entry, COMMAND_SELECT_ALL);
    press(&entry, COMMAND_RIGHT);
    entry_type(&entry, "s", MAX);
    assert_string_equal(entry.text, "anews");
    press(&entry, COMMAND_SELECT_ALL);
    press(&entry, COMMAND_ERASE);
    assert_string_equal(entry.text, "");
    press(&entry, COMMAND_SELECT_ALL); // of nothing
    press(&entry, COMMAND_DELETE);
    assert_false(entry_handle(
        &entry, &(struct window_event){.kind = WINDOW_PRESSED, .command = COMMAND_ACCEPT}, MAX));
}

TEST(a_cleared_line_is_empty)
{
    struct entry entry = {0};
    entry_type(&entry, "words", MAX);
    entry_clear(&entry);
    assert_string_equal(entry.text, "");
}
