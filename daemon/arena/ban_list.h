// SPDX-License-Identifier: MIT
// Ban lists of somebody else's: a text of lines "NETWORK[ UNTIL][ REASON]", of which empty ones and
// those that begin with "#" say nothing. UNTIL is a day or a time of UTC, "2026-01-31" or
// "2026-01-31T18:00:00Z". A list is believed as a whole or not at all. Thread rule: any thread.
#pragma once

#include "bans.h"

#define BAN_LIST_MAX 65536 // networks
#define BAN_LIST_MAX_BYTES ((size_t)4 << 20)

// Reads a text, which ends in a NUL behind its `size` bytes, and changes it. Returns a searchable
// list, which the caller frees; NULL for a text that is malformed, too long, or bans a network that
// nobody means (see bans_is_wide), and writes why, with the line, into `error`.
struct bans *ban_list_read(char *text, size_t size, char *error, size_t capacity);
