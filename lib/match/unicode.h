// SPDX-License-Identifier: MIT
// Unicode, as far as names and chat need it: UTF-8, and properties of code points by tables.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_UNICODE_TARGET_BYTES 6

struct raim_unicode_range {
    uint32_t first, last;
};

// `count` code points from `first` on. The first one becomes `target`, each further one the same
// with `step` more in its last byte.
struct raim_unicode_mapping {
    uint32_t first;
    uint8_t count, step;
    char target[RAIM_UNICODE_TARGET_BYTES]; // UTF-8; shorter ones end with a NUL
};

struct raim_unicode_ranges {
    const struct raim_unicode_range *rows; // in order
    size_t count;
};

struct raim_unicode_mappings {
    const struct raim_unicode_mapping *rows; // in order
    size_t count;
};

// What no name has: unassigned, private use, noncharacters, and compatibility forms that are not
// folded.
extern const struct raim_unicode_ranges raim_unicode_refused;

// What is drawn over the character before: Nonspacing_Mark and Enclosing_Mark.
extern const struct raim_unicode_ranges raim_unicode_marks;

// What a name has in place of compatibility forms: of full-width letters, for instance.
extern const struct raim_unicode_mappings raim_unicode_folds;

// What code points look like, see name_key.h.
extern const struct raim_unicode_mappings raim_unicode_skeletons;

// Decodes one code point of a string; returns its length in bytes, or 0 where RFC 3629 forbids what
// stands there: overlong forms, surrogates, beyond U+10FFFF, a cut sequence.
size_t raim_unicode_decode(const uint8_t *bytes, uint32_t *code_point);

bool raim_unicode_is_among(const struct raim_unicode_ranges *ranges, uint32_t code_point);

// Copies what a code point becomes; returns its size, 0 where it is in no row.
size_t raim_unicode_map(const struct raim_unicode_mappings *mappings, uint32_t code_point,
                        char target[RAIM_UNICODE_TARGET_BYTES]);
