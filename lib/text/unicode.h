// SPDX-License-Identifier: MIT
// Unicode support for names and chat: tables of code point properties.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_UNICODE_TARGET_BYTES 6

struct raim_unicode_range {
    uint32_t first, last;
};

// Maps `count` code points from `first` on. The first becomes `target`; for each further one the
// last byte of the target increases by `step`.
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

// Code points that names must not contain: unassigned, private use, noncharacters, and
// compatibility forms that are not folded.
extern const struct raim_unicode_ranges raim_unicode_rejected;

// Marks that are drawn over the preceding character: Nonspacing_Mark and Enclosing_Mark.
extern const struct raim_unicode_ranges raim_unicode_marks;

// Foldings of compatibility forms, of full-width letters for instance.
extern const struct raim_unicode_mappings raim_unicode_folds;

// Prototypes of confusable code points (UTS #39), see name.h.
extern const struct raim_unicode_mappings raim_unicode_skeletons;

bool raim_unicode_is_among(const struct raim_unicode_ranges *ranges, uint32_t code_point);

// Copies the mapping of a code point, without a NUL. Returns its size; 0: the code point is not
// mapped.
size_t raim_unicode_map(const struct raim_unicode_mappings *mappings, uint32_t code_point,
                        char target[RAIM_UNICODE_TARGET_BYTES]);
