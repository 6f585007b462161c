// SPDX-License-Identifier: MIT
// Client of systemd-journald's native protocol: sends log entries with searchable fields, as in
// `journalctl -u raimd ARENA=duel`.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

struct journal_entry {
    int priority;        // of syslog(3)
    const char *message; // one line without control characters
    const char *event;   // not NUL-terminated; borrowed, as all texts are
    size_t event_bytes;  // 0: no event
    const char *arena;   // a name; NULL or "": omitted
    const char *player;  // an id; NULL or "": omitted
};

// Connects to the socket at `path`; false if that fails. Call it before any thread starts.
bool journal_open(const char *path);

// Sends an entry without blocking; false if it was not sent. Any thread.
bool journal_send(const struct journal_entry *entry);
