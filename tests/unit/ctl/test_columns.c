// SPDX-License-Identifier: MIT
// Tests of raimctl's tables: widths, and what a terminal would obey.
#define _POSIX_C_SOURCE 200809L
#include "columns.h"
#include "test.h"

// What a table prints.
static char *printed(struct columns *columns)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_true(columns_print(columns, out));
    fclose(out);
    return text;
}

static void assert_prints(struct columns *columns, const char *expected)
{
    char *text = printed(columns);
    assert_string_equal(text, expected);
    free(text);
}

TEST(columns_are_as_wide_as_their_widest_text)
{
    struct columns *columns = columns_create("NAME|>SCORE|STATE");
    columns_add(columns, "a-name-of-twenty-four-chr");
    columns_add_number(columns, 7);
    columns_add(columns, "away");
    columns_add(columns, "b");
    columns_add_format(columns, "%d/%d", 123456, 8);
    columns_add(columns, "");
    assert_prints(columns, "NAME                         SCORE STATE\n"
                           "a-name-of-twenty-four-chr        7 away\n"
                           "b                         123456/8\n");
}

TEST(wide_characters_take_two_columns_and_marks_none)
{
    struct columns *columns = columns_create("NAME|ID");
    columns_add(columns, "\xE6\xBC\xA2\xE5\xAD\x97"); // two ideographs: four columns
    columns_add(columns, "1");
    columns_add(columns, "Zo\xC3\xAB!"); // four letters
    columns_add(columns, "2");
    columns_add(columns, "e\xCC\x81"
                         "e\xCC\x81"); // two letters with a combining acute each
    columns_add(columns, "3");
    assert_prints(columns, "NAME ID\n"
                           "\xE6\xBC\xA2\xE5\xAD\x97 1\n"
                           "Zo\xC3\xAB! 2\n"
                           "e\xCC\x81"
                           "e\xCC\x81"
                           "   3\n");
}

TEST(what_a_terminal_would_obey_is_masked)
{
    struct columns *columns = columns_create("NAME|ID");
    columns_add(columns, "\x1B[2J\x07");
    columns_add(columns, "1");
    columns_add(columns, "a\xC2\x9B"
                         "b\xE2\x80\xAE"); // CSI of C1, right-to-left override
    columns_add(columns, "2");
    columns_add(columns, "\xFF\xC3"); // no UTF-8
    columns_add(columns, "3");
    assert_prints(columns, "NAME  ID\n?[2J? 1\na?b?  2\n??    3\n");
}

TEST(a_column_without_a_text_is_left_out)
{
    struct columns *columns = columns_create("NAME|>BY|ID");
    for (int row = 0; row < 2; row++) {
        columns_add(columns, row == 0 ? "a" : "");
        columns_add(columns, "");
        columns_add_number(columns, row);
    }
    assert_prints(columns, "NAME ID\n"
                           "a    0\n"
                           "     1\n");
}

TEST(a_table_of_headings_alone_has_one_line)
{
    assert_prints(columns_create("ARENA|>ID|"), "ARENA ID\n");
}

TEST(a_missing_table_is_no_answer)
{
    columns_add(NULL, "lost");
    assert_false(columns_print(NULL, stdout));
}
