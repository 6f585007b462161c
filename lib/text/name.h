// SPDX-License-Identifier: MIT
// Validation and normalisation of user text: player names and chat.
#pragma once

#include "message.h"

#define RAIM_NAME_MAX_MARKS 2 // on one character of a name
#define RAIM_TEXT_MAX_MARKS 4 // on one character of a text

// Copies a text without invisible and bidirectional control characters, private use code points,
// noncharacters, leading and trailing spaces, and marks beyond RAIM_TEXT_MAX_MARKS on a character.
// Returns false when the text is not UTF-8 (RFC 3629), when no visible character is left, or when
// the result is longer than `max` bytes; `cleaned` has room for max + 1.
bool raim_text_clean(const char *text, char *cleaned, uint32_t max);

// Copies a name without invisible and bidirectional control characters and without leading and
// trailing spaces. Runs of spaces of any kind become one ASCII space; compatibility forms such as
// full-width letters become the letters that they are forms of. Returns false as raim_text_clean
// does, and also when the name has more than RAIM_NAME_MAX_MARKS marks on a character, begins with
// a mark, or contains a code point of raim_unicode_rejected. Cleaning is idempotent.
bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1]);

// Confusable detection for names: a key that names which look alike share, from the skeletons of
// UTS #39 (Unicode Security Mechanisms) without case, spaces and marks. A name that looks like the
// operator's is rejected; of two players whose names look alike the later one gets a number.

struct raim_name_key {
    uint64_t skeleton; // hash of the skeleton without a number in parentheses at its end
    uint32_t number;   // that number, 1 to 9999; 0: none
};

// Names that look alike have equal keys. The name must be clean.
struct raim_name_key raim_name_key_of(const char *name);

static inline bool raim_name_keys_match(struct raim_name_key one, struct raim_name_key other)
{
    return one.skeleton == other.skeleton && one.number == other.number;
}

// Whether a clean name looks like the server's or its operator's: "server", "raimd", "admin" and
// others in any confusable spelling, with any signs, spaces and digits around them.
bool raim_name_is_reserved(const char *name);

// Appends a number to a name, as in "Ada (2)", and shortens the name as far as needed.
void raim_name_append_number(const char *name, uint32_t number,
                             char numbered[RAIM_MAX_NAME_BYTES + 1]);
