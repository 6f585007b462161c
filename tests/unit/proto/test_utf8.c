// SPDX-License-Identifier: MIT
// Texts of files are UTF-8.
#include "test.h"
#include "utf8.h"

static bool is_valid(const char *text)
{
    return raim_utf8_is_valid((const uint8_t *)text, strlen(text));
}

TEST(characters_of_every_length_are_accepted)
{
    assert_true(is_valid(""));
    assert_true(is_valid("Ada"));
    assert_true(is_valid("\xC2\x80\xDF\xBF"));                     // U+0080, U+07FF
    assert_true(is_valid("\xE0\xA0\x80\xED\x9F\xBF\xEF\xBF\xBF")); // U+0800, U+D7FF, U+FFFF
    assert_true(is_valid("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));     // U+10000, U+10FFFF
}

TEST(everything_else_is_rejected)
{
    const char *const texts[] = {
        "\x80",         "\xC0\x80",         "\xC1\xBF", "\xC2",         "\xC2\x41",
        "\xE0\x9F\xBF", "\xED\xA0\x80",     "\xE1\x80", "\xE1\x80\x41", "\xF0\x8F\xBF\xBF",
        "\xF0\x90\x80", "\xF4\x90\x80\x80", "\xF5",     "\xFF",         "Ada\xC3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_valid(texts[i]))
            fail_msg("text %zu is accepted", i);
    assert_false(raim_utf8_is_valid((const uint8_t *)"a\0b", 3));
}
