// SPDX-License-Identifier: MIT
// The journal's own protocol, by which a line of the log carries fields to search for:
// `journalctl -u raimd ARENA=duel`. EVENT is the line's words before the first key=value. ARENA and
// PLAYER are the values of these keys, or of `name` in a line that begins with that word.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The largest entry: a line of the log and its fields, which repeat parts of it.
#define JOURNAL_ENTRY_BYTES 4096

// Connects to the journal; false where there is none.
bool journal_open(void);

// Sends a line without control characters, of a priority of syslog(3). False if it did not go.
// Thread-safe.
bool journal_send(int priority, const char *line);

// The entry of such a line, of at most JOURNAL_ENTRY_BYTES; returns its size.
size_t journal_write_entry(char entry[JOURNAL_ENTRY_BYTES], int priority, const char *line);
