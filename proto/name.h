// SPDX-License-Identifier: MIT
// What people write for others to read: names that they give themselves, and chat.
#pragma once

#include "message.h"

// Copies a text without what is invisible or turns the direction of writing, and without outer
// spaces. False when it is not UTF-8 (RFC 3629), when nothing visible is left, or when what is left
// is longer than `max` bytes; `cleaned` has room for max + 1.
bool raim_text_clean(const char *text, char *cleaned, uint32_t max);

// The same for a name.
bool raim_name_clean(const char *name, char cleaned[RAIM_MAX_NAME_BYTES + 1]);
