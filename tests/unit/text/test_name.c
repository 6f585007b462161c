// SPDX-License-Identifier: MIT
// Cleaning of names and chat: valid UTF-8, no invisible and no bidirectional control characters.
#include "hostile.h"
#include "name.h"

struct row {
    const char *name;
    const char *cleaned; // NULL: rejected
};

static void assert_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char cleaned[RAIM_MAX_NAME_BYTES + 1];
        const bool good = raim_name_clean(rows[i].name, cleaned);
        if (good != (rows[i].cleaned != NULL))
            fail_msg("row %zu was %s", i, good ? "accepted" : "rejected");
        if (good)
            assert_string_equal(cleaned, rows[i].cleaned);
    }
}

#define ROWS(rows) rows, sizeof rows / sizeof rows[0]

TEST(names_of_every_script_pass)
{
    static const struct row rows[] = {
        {"a", "a"},
        {"Ada Lovelace", "Ada Lovelace"},
        {"24 bytes of ASCII, full.", "24 bytes of ASCII, full."},
        {"Zo\xC3\xAB", "Zo\xC3\xAB"},                             // U+00EB
        {"\xD0\x96\xE4\xB8\xAD", "\xD0\x96\xE4\xB8\xAD"},         // U+0416 U+4E2D
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},                 // U+1F600
        {"\xC2\xA1\xDF\xBF", "\xC2\xA1\xDF\xBF"},                 // U+00A1 U+07FF
        {"\xE0\xA0\x80\xEF\xBF\xBD", "\xE0\xA0\x80\xEF\xBF\xBD"}, // U+0800 U+FFFD
        {"\xF0\x90\x80\x80", "\xF0\x90\x80\x80"},                 // U+10000
        {"\xE0\xB8\x99\xE0\xB9\x89\xE0\xB8\xB3", "\xE0\xB8\x99\xE0\xB9\x89\xE0\xB8\xB3"}, // Thai
        {"\xEA\xB0\x80\xE3\x85\x8B", "\xEA\xB0\x80\xE3\x85\x8B"}, // Hangul U+AC00 U+314B
    };
    assert_rows(ROWS(rows));
}

TEST(controls_and_invisible_ones_are_stripped)
{
    static const struct row rows[] = {
        {"a\x01\x1F\n\t\x7F"
         "b",
         "ab"}, // C0, DEL
        {"a\xC2\x80\xC2\x9F"
         "b",
         "ab"}, // C1
        {"a\xC2\xAD"
         "b",
         "ab"}, // soft hyphen
        {"a\xE2\x80\x8B\xE2\x80\x8D"
         "b",
         "ab"}, // zero width space and joiner
        {"a\xE2\x80\xAE"
         "b",
         "ab"}, // right-to-left override
        {"a\xE2\x81\xA6\xE2\x81\xA9"
         "b",
         "ab"},                                       // isolates
        {"\xEF\xBB\xBFz", "z"},                       // byte order mark
        {"a\xF3\xA0\x81\x81", "a"},                   // tag U+E0041
        {"\xE2\x9D\xA4\xEF\xB8\x8F", "\xE2\x9D\xA4"}, // heart with variation selector
    };
    assert_rows(ROWS(rows));
}

TEST(outer_spaces_go_and_inner_ones_become_one)
{
    static const struct row rows[] = {
        {"  a b  ", "a b"},
        {"\x01 a\x02 \x03", "a"},
        {"\xC2\xA0\xE3\x80\x80"
         "a\xC2\xA0z\xE2\x80\x83",
         "a z"},                                             // U+00A0, U+3000, U+2003
        {"a\xE2\xA0\x80z", "a z"},                           // U+2800
        {"a \xE2\x80\x80\xE2\x80\x8B \xE2\xA0\x80z", "a z"}, // with U+200B between them
        {"1234567890 \xE3\x80\x80             1234567890123", "1234567890 1234567890123"},
    };
    assert_rows(ROWS(rows));
}

TEST(compatibility_forms_are_folded_or_rejected)
{
    static const struct row rows[] = {
        {"\xEF\xBC\xA1\xEF\xBD\x84\xEF\xBD\x81", "Ada"},          // full width
        {"\xF0\x9D\x94\x84\xF0\x9D\x95\x82", "AK"},               // Fraktur, double-struck
        {"\xE2\x92\xB6\xC2\xB2\xE2\x84\xA2", "A2TM"},             // circled, superscript
        {"\xEF\xAC\x81\xE2\x80\xA6", "fi..."},                    // ligature, ellipsis
        {"\xEF\xBD\xB1\xEF\xBD\xB2", "\xE3\x82\xA2\xE3\x82\xA4"}, // half-width katakana
        {"D\xC2\xB4"
         "Ada",
         "D'Ada"},
        {"a\xEF\xBA\x8D", NULL}, // Arabic presentation form U+FE8D
        {"a\xEF\xA4\x80", NULL}, // CJK compatibility ideograph U+F900
        {"a\xC2\xA8", NULL},     // a diaeresis by itself
        {"a\xE1\x84\x80", NULL}, // Hangul choseong U+1100
        {"1234567890123456789\xE2\x80\xA6", "1234567890123456789..."},
        {"1234567890123456789012\xE2\x80\xA6", NULL}, // 25 bytes
    };
    assert_rows(ROWS(rows));
}

TEST(marks_are_few_and_begin_no_name)
{
    static const struct row rows[] = {
        {"e\xCC\x81\xCC\x82z\xCC\x81", "e\xCC\x81\xCC\x82z\xCC\x81"},
        {"e\xCC\x81\xCC\x82\xCC\x83", NULL},
        {"e\xCC\x81\xE2\x80\x8B\xCC\x82\xCC\x83", NULL}, // U+200B does not part them
        {"\xCC\x81"
         "e",
         NULL},
        {" \xCC\x81"
         "e",
         NULL},
        {"e \xCC\x81", NULL},
        {"e\xE2\x83\x9D", "e\xE2\x83\x9D"}, // U+20DD, enclosing
    };
    assert_rows(ROWS(rows));
}

TEST(what_has_no_meaning_is_rejected)
{
    static const struct row rows[] = {
        {"a\xEF\xBF\xBE", NULL},     // U+FFFE
        {"a\xEF\xB7\x90", NULL},     // U+FDD0
        {"a\xF4\x8F\xBF\xBF", NULL}, // U+10FFFF
        {"a\xEE\x80\x80", NULL},     // U+E000
        {"a\xF3\xB0\x80\x80", NULL}, // U+F0000
        {"a\xCD\xB8", NULL},         // U+0378, unassigned
        {"a\xED\x9F\xBF", NULL},     // U+D7FF, unassigned
    };
    assert_rows(ROWS(rows));
}

TEST(chat_is_stripped_of_what_a_name_is_rejected_for)
{
    static const struct row rows[] = {
        {"a\xEF\xBF\xBE\xEE\x80\x80z", "az"},
        {"e\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81z",
         "e\xCC\x81\xCC\x81\xCC\x81\xCC\x81z"},
        {"\xC2\xBD \xE2\x84\xA2  \xCD\xB8 ", "\xC2\xBD \xE2\x84\xA2  \xCD\xB8"},
        {"\xEE\x80\x80\xEF\xBF\xBF", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char cleaned[RAIM_MAX_CHAT_BYTES + 1];
        assert_int_equal(raim_text_clean(rows[i].name, cleaned, RAIM_MAX_CHAT_BYTES),
                         rows[i].cleaned != NULL);
        if (rows[i].cleaned != NULL)
            assert_string_equal(cleaned, rows[i].cleaned);
    }
}

TEST(names_without_anything_to_see_are_rejected)
{
    static const struct row rows[] = {
        {"", NULL},
        {" ", NULL},
        {"\n\t", NULL},
        {" \xE2\x80\x8B ", NULL},       // U+200B
        {"\xC2\xA0\xE3\x80\x80", NULL}, // U+00A0 U+3000
        {"\xE3\x85\xA4", NULL},         // U+3164, the Hangul filler
        {"\xE2\xA0\x80", NULL},         // U+2800, the blank Braille pattern
        {"\xCD\x8F\xEF\xB8\x8F", NULL}, // U+034F U+FE0F
        {"\xF3\xA0\x84\x80", NULL},     // U+E0100
    };
    assert_rows(ROWS(rows));
}

TEST(a_name_keeps_24_bytes_and_is_rejected_with_25)
{
    static const struct row rows[] = {
        {"123456789012345678901234", "123456789012345678901234"},
        {"1234567890123456789012345", NULL},
        {"12345678901234567890\xF0\x9F\x98\x80", "12345678901234567890\xF0\x9F\x98\x80"},
        {"123456789012345678901\xF0\x9F\x98\x80", NULL},
        {"  \n123456789012345678901234", "123456789012345678901234"},
    };
    assert_rows(ROWS(rows));
}

TEST(a_text_keeps_as_many_bytes_as_it_may_and_is_rejected_with_more)
{
    for (uint32_t max = 1; max <= RAIM_MAX_CHAT_BYTES; max++) {
        char text[RAIM_MAX_CHAT_BYTES + 16];
        char *cleaned = malloc(max + 1); // of exactly its size
        assert_non_null(cleaned);
        for (uint32_t length = max; length <= max + 1; length++) {
            // The byte order mark and the spaces around do not count.
            snprintf(text, sizeof text, "\xEF\xBB\xBF %0*d\n", (int)length, 0);
            assert_int_equal(raim_text_clean(text, cleaned, max), length <= max);
        }
        free(cleaned);
    }
}

static size_t put_utf8(char *end, uint32_t c)
{
    if (c < 0x80) {
        end[0] = (char)c;
        return 1;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint32_t leads[] = {0, 0xC0, 0xE0, 0xF0};
    end[0] = (char)(leads[more] | c >> (6 * more));
    for (int i = 1; i <= more; i++)
        end[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3F));
    return (size_t)more + 1;
}

TEST(every_code_point_of_a_text_passes_or_goes_but_surrogates_are_rejected)
{
    for (uint32_t c = 1; c <= 0x110000; c++) {
        char text[8] = "<", cleaned[RAIM_MAX_CHAT_BYTES + 1];
        const size_t length = 1 + put_utf8(text + 1, c);
        strcpy(text + length, ">");
        const bool good = raim_text_clean(text, cleaned, RAIM_MAX_CHAT_BYTES);
        assert_int_equal(good, (c < 0xD800 || c > 0xDFFF) && c <= 0x10FFFF);
        if (good && strcmp(cleaned, "<>") != 0)
            assert_string_equal(cleaned, text);
    }
}

TEST(every_code_point_of_a_name_becomes_what_stays)
{
    for (uint32_t c = 1; c <= 0x110000; c++) {
        char name[8] = "<", once[RAIM_MAX_NAME_BYTES + 1], twice[RAIM_MAX_NAME_BYTES + 1];
        const size_t length = 1 + put_utf8(name + 1, c);
        strcpy(name + length, ">");
        if (raim_name_clean(name, once)) {
            assert_true(raim_name_clean(once, twice));
            assert_string_equal(once, twice);
        }
    }
}

TEST(clean_names_are_clean)
{
    static const uint32_t odd[] = {' ', 0x01, 0xA0, 0x200B, 0x202E, 0xFF21, 0x301, 0xE4};
    int cleaned_count = 0;
    for (int i = 0; i < 200000; i++) {
        char name[64], once[RAIM_MAX_NAME_BYTES + 1], twice[RAIM_MAX_NAME_BYTES + 1];
        size_t size = 0;
        for (int j = chance_int(0, 8); j > 0; j--) {
            const int what = chance_int(0, 40);
            if (what == 0)
                name[size++] = (char)chance_int(1, 255);
            else
                size += put_utf8(name + size, what < 20 ? odd[what % 8] : chance_bits(16) | 1);
        }
        name[size] = '\0';
        char *block = malloc(size + 1); // of exactly its size
        assert_non_null(block);
        memcpy(block, name, size + 1);
        const bool good = raim_name_clean(block, once);
        free(block);
        if (!good)
            continue;
        cleaned_count++;
        assert_in_range(strlen(once), 1, RAIM_MAX_NAME_BYTES);
        assert_true(raim_name_clean(once, twice));
        assert_string_equal(once, twice);
    }
    assert_true(cleaned_count > 10000);
}
