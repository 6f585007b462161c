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
// a mark, or contains a code point of raim_unicode_refused. Cleaning is idempotent.
bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1]);
