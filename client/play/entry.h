// SPDX-License-Identifier: MIT
// A line that is being typed. Pure.
#pragma once

#include "wire_limits.h"

#include <stddef.h>

enum { ENTRY_BYTES = RAIM_MAX_CHAT_BYTES + 1 }; // with the closing NUL

struct entry {
    char text[ENTRY_BYTES]; // UTF-8
};

void entry_clear(struct entry *entry);

// Adds characters; those that do not fit any more are left out.
void entry_type(struct entry *entry, const char *text);

// Takes the last character away.
void entry_erase(struct entry *entry);
