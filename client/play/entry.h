// SPDX-License-Identifier: MIT
// A line that is being typed. Pure.
#pragma once

#include <stddef.h>

enum { ENTRY_BYTES = 121 }; // what fits a chat message, and the closing NUL

struct entry {
    char text[ENTRY_BYTES]; // UTF-8
};

void entry_clear(struct entry *entry);

// Adds characters; those that do not fit any more are left out.
void entry_type(struct entry *entry, const char *text);

// Takes the last character away.
void entry_erase(struct entry *entry);
