// SPDX-License-Identifier: MIT
// Validates and normalises user text in one pass over its code points.
#include "name.h"

#include "digest.h"
#include "text.h"
#include "unicode.h"
#include "utf8.h"

#include <assert.h>
#include <string.h>

static bool is_space(uint32_t c)
{
    // Unicode's Space_Separator and the blank Braille pattern.
    static const struct raim_unicode_range rows[] = {
        {0x0020, 0x0020}, {0x00A0, 0x00A0}, {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x202F, 0x202F}, {0x205F, 0x205F}, {0x2800, 0x2800}, {0x3000, 0x3000},
    };
    static const struct raim_unicode_ranges ranges = {rows, sizeof rows / sizeof rows[0]};
    return raim_unicode_is_among(&ranges, c);
}

// Private use code points and noncharacters.
static bool is_private(uint32_t c)
{
    return (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE ||
           c >= 0xF0000;
}

// The number of marks on the character that ends with `c`.
static uint32_t count_marks(uint32_t marks, uint32_t c)
{
    return raim_unicode_is_among(&raim_unicode_marks, c) ? marks + 1 : 0;
}

// The output; `is_full` is set when `max` bytes do not suffice.
struct writer {
    char *bytes;
    size_t size, visible, max; // `visible`: size up to the last visible character
    bool is_full;
};

static void write(struct writer *writer, const void *bytes, size_t size, bool is_visible)
{
    if (!is_visible && writer->size == 0)
        return; // a leading space
    writer->is_full = writer->is_full || size > writer->max - writer->size;
    if (writer->is_full)
        return;
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
    if (is_visible)
        writer->visible = writer->size;
}

static bool finish(const struct writer *writer)
{
    writer->bytes[writer->visible] = '\0';
    return writer->visible > 0 && !writer->is_full;
}

bool raim_text_clean(const char *text, char *cleaned, uint32_t max)
{
    struct writer writer = {.bytes = cleaned, .max = max};
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t marks = 0;
    for (size_t length; *bytes != 0; bytes += length) {
        uint32_t c = 0;
        length = raim_utf8_decode(bytes, &c);
        if (length == 0)
            return false;
        if (raim_utf8_is_invisible(c) || is_private(c))
            continue;
        marks = count_marks(marks, c);
        if (marks <= RAIM_TEXT_MAX_MARKS)
            write(&writer, bytes, length, !is_space(c));
    }
    return finish(&writer);
}

// Writes a code point of a name, folded to its compatibility form.
static void write_folded(struct writer *writer, const uint8_t *bytes, size_t length, uint32_t c)
{
    char target[RAIM_UNICODE_TARGET_BYTES];
    const size_t folded = raim_unicode_map(&raim_unicode_folds, c, target);
    if (folded > 0)
        write(writer, target, folded, true);
    else
        write(writer, bytes, length, true);
}

bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1])
{
    struct writer writer = {.bytes = cleaned, .max = RAIM_MAX_NAME_BYTES};
    const uint8_t *bytes = (const uint8_t *)name;
    uint32_t marks = RAIM_NAME_MAX_MARKS; // a mark must not begin a name
    for (size_t length; *bytes != 0 && !writer.is_full; bytes += length) {
        uint32_t c = 0;
        length = raim_utf8_decode(bytes, &c);
        if (length == 0)
            return false;
        if (raim_utf8_is_invisible(c))
            continue;
        if (is_space(c)) {
            if (writer.size == writer.visible)
                write(&writer, " ", 1, false);
            marks = RAIM_NAME_MAX_MARKS; // nor follow a space
            continue;
        }
        marks = count_marks(marks, c);
        if (marks > RAIM_NAME_MAX_MARKS || raim_unicode_is_among(&raim_unicode_rejected, c))
            return false;
        write_folded(&writer, bytes, length, c);
    }
    return finish(&writer);
}

enum {
    SKELETON_BYTES = RAIM_MAX_NAME_BYTES * RAIM_UNICODE_TARGET_BYTES,
    NUMBER_DIGITS = 4,
};

// The skeletons of admin, administrator, console, moderator, operator, raim, raimd, server, system.
// In a skeleton i is l and m is rn.
static const char *const reserved[] = {
    "adrnln", "adrnlnlstrator", "console", "rnoderator", "operator",
    "ralrn",  "ralrnd",         "server",  "systern",
};

// In a skeleton 1 has become l, and 0 o.
static const char digits[] = "ol23456789";

struct skeleton {
    size_t size;
    char bytes[SKELETON_BYTES + 1]; // its characters are pairwise distinguishable
};

static struct skeleton skeleton_of(const char *name)
{
    struct skeleton skeleton = {0};
    const uint8_t *bytes = (const uint8_t *)name;
    for (size_t length; *bytes != 0; bytes += length) {
        uint32_t c = 0;
        char *end = skeleton.bytes + skeleton.size;
        length = raim_utf8_decode(bytes, &c);
        assert(length > 0 && skeleton.size + RAIM_UNICODE_TARGET_BYTES <= SKELETON_BYTES);
        if (c == ' ' || raim_unicode_is_among(&raim_unicode_marks, c))
            continue;
        const size_t mapped = raim_unicode_map(&raim_unicode_skeletons, c, end);
        if (mapped == 0)
            memcpy(end, bytes, length);
        skeleton.size += mapped > 0 ? mapped : length;
    }
    return skeleton;
}

// Removes a number in the form that raim_name_append_number writes from the end of a skeleton.
// Returns the number, 0: none.
static uint32_t cut_number(struct skeleton *skeleton)
{
    uint32_t number = 0, power = 1;
    size_t at = skeleton->size;
    if (at == 0 || skeleton->bytes[--at] != ')')
        return 0;
    for (; at > 0 && skeleton->bytes[at - 1] != '('; at--, power *= 10) {
        const char *digit = memchr(digits, skeleton->bytes[at - 1], sizeof digits - 1);
        if (digit == NULL || skeleton->size - 1 - at == NUMBER_DIGITS)
            return 0;
        number += power * (uint32_t)(digit - digits);
    }
    // "(02)" and "()" are never written, and "(2)" alone is a name.
    if (at < 2 || number == 0 || number < power / 10)
        return 0;
    skeleton->size = at - 1;
    return number;
}

struct raim_name_key raim_name_key_of(const char *name)
{
    struct skeleton skeleton = skeleton_of(name);
    const uint32_t number = cut_number(&skeleton);
    return (struct raim_name_key){raim_digest(skeleton.bytes, skeleton.size), number};
}

// Removes everything but the ASCII letters of a skeleton.
static void keep_letters(struct skeleton *skeleton)
{
    size_t size = 0;
    for (size_t i = 0; i < skeleton->size; i++)
        if (skeleton->bytes[i] >= 'a' && skeleton->bytes[i] <= 'z')
            skeleton->bytes[size++] = skeleton->bytes[i];
    skeleton->bytes[skeleton->size = size] = '\0';
}

bool raim_name_is_reserved(const char *name)
{
    struct skeleton given = skeleton_of(name);
    keep_letters(&given);
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        const size_t size = strlen(reserved[i]);
        // Digits 1 and 0, which are l and o in a skeleton, may follow.
        if (strncmp(given.bytes, reserved[i], size) == 0 &&
            given.bytes[size + strspn(given.bytes + size, "lo")] == '\0')
            return true;
    }
    return false;
}

void raim_name_append_number(const char *name, uint32_t number,
                             char numbered[RAIM_MAX_NAME_BYTES + 1])
{
    char suffix[16];
    char *end =
        raim_text_append(raim_text_append_number(raim_text_append(suffix, " ("), number), ")");
    const size_t room = RAIM_MAX_NAME_BYTES - (size_t)(end - suffix);
    size_t size = strlen(name);
    if (size > room)
        for (size = room; ((uint8_t)name[size] & 0xC0) == 0x80; size--)
            ; // stays on a character's boundary
    while (size > 0 && name[size - 1] == ' ')
        size--;
    memcpy(numbered, name, size);
    strcpy(numbered + size, suffix);
}
