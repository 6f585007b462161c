// SPDX-License-Identifier: MIT
// A typed line: whole characters only, and never more than fits.
#include "entry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_characters_are_erased_whole(void **state)
{
    (void)state;
    struct entry entry = {0};
    entry_type(&entry, "a\u00e9\u2026\U0001F600");
    static const char *const left[] = {"a\u00e9\u2026", "a\u00e9", "a", "", ""};
    for (int i = 0; i < 5; i++) {
        entry_erase(&entry);
        assert_string_equal(entry.text, left[i]);
    }
}

static void test_what_does_not_fit_is_left_out_whole(void **state)
{
    (void)state;
    struct entry entry = {0};
    for (int i = 0; i < 1000; i++)
        entry_type(&entry, "\u2026"); // of three bytes
    assert_int_equal(strlen(entry.text), (ENTRY_BYTES - 1) / 3 * 3);
    struct entry odd = {0};
    entry_type(&odd, "ab");
    for (int i = 0; i < 1000; i++)
        entry_type(&odd, "\u2026");
    assert_int_equal(strlen(odd.text), 2 + (ENTRY_BYTES - 3) / 3 * 3);
    assert_int_equal((unsigned char)odd.text[strlen(odd.text) - 1], 0xA6);
}

static void test_a_cleared_line_is_empty(void **state)
{
    (void)state;
    struct entry entry = {0};
    entry_type(&entry, "words");
    entry_clear(&entry);
    assert_string_equal(entry.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters_are_erased_whole),
        cmocka_unit_test(test_what_does_not_fit_is_left_out_whole),
        cmocka_unit_test(test_a_cleared_line_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
