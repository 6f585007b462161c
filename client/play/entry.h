// SPDX-License-Identifier: MIT
// Text entry: a line of UTF-8 while it is typed. Pure.
#pragma once

#include "wire_limits.h"

#include <stddef.h>

enum { ENTRY_BYTES = 121 }; // a chat message and the closing NUL

struct entry {
    char text[ENTRY_BYTES]; // UTF-8
};

void entry_clear(struct entry *entry);

// Adds characters as long as they fit.
void entry_type(struct entry *entry, const char *text);

// Removes the last character.
void entry_erase(struct entry *entry);
