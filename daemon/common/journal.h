// SPDX-License-Identifier: MIT
// systemd-journald's native protocol: an entry of the journal with fields to search for, as in
// `journalctl -u raimd ARENA=duel`.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

struct journal_entry {
    int priority;        // of syslog(3)
    const char *message; // one line without control characters
    const char *event;   // borrowed together with the other texts, and not ended by a NUL
    size_t event_bytes;  // 0: no event
    const char *arena;   // a name; NULL or "": the entry is about none
    const char *player;  // an id; NULL or "": the entry is about none
};

// Connects to the socket of this path; false where nobody listens there.
bool journal_open(const char *path);

// Sends an entry without waiting; false if it did not go. Thread-safe.
bool journal_send(const struct journal_entry *entry);
