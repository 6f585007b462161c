// SPDX-License-Identifier: MIT
// What people write for others to read, cleaned: names that they give themselves, and chat.
#pragma once

#include "message.h"

#define RAIM_NAME_MAX_MARKS 2 // on one character of a name
#define RAIM_TEXT_MAX_MARKS 4 // on one character of a text

// Copies a text without what is invisible or turns the direction of writing, without private use
// and noncharacters, without outer spaces, and without marks beyond RAIM_TEXT_MAX_MARKS on a
// character. False when it is not UTF-8 (RFC 3629), when nothing visible is left, or when what is
// left is longer than `max` bytes; `cleaned` has room for max + 1.
bool raim_text_clean(const char *text, char *cleaned, uint32_t max);

// Copies a name without what is invisible or turns the direction of writing, and without outer
// spaces; spaces of any kind within become one of ASCII, compatibility forms such as full-width
// letters what they are forms of. False as for a text, and when a name has more than
// RAIM_NAME_MAX_MARKS marks on a character, begins with a mark, or has what no name may have, see
// raim_unicode_refused. What is cleaned stays as it is when it is cleaned again.
bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1]);
