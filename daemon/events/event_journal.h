// SPDX-License-Identifier: MIT
// A log of what happened: numbered events with a JSON text each. The newest ones are
// kept in memory for readers, which continue after the number that they have seen, and in a
// journal file, from which the next process continues with numbers and events. An event is in the
// journal before a reader can see it, unless the store is late. Main thread only.
#pragma once

#include "watchers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_JOURNAL_MAX 4096U                   // that are kept
#define EVENT_JOURNAL_MAX_BYTES ((size_t)4 << 20) // of their texts

struct journal_event {
    uint64_t id;     // ascending; below 2^53
    char *kind;      // owned, as is the text
    char *text;      // JSON
    uint64_t change; // of the store, that writes it; 0: none does
};

struct event_journal;
struct store;

// Reads the journal `name` of a store, which it borrows with the name; NULL, or a store without a
// directory: events are kept in memory only. The numbers continue with one that no earlier process
// can have reached, made of `now_s`, the seconds since 1970. Lines that are no events are kept, but
// not shown. Returns NULL when memory runs out.
struct event_journal *event_journal_open(struct store *store, const char *name, int64_t now_s);

// Takes NULL.
void event_journal_close(struct event_journal *events);

// Adds an event and takes `text`, a JSON object without line feeds; NULL: memory has run out, and
// the event is counted as lost. `kind` is a word.
void event_journal_add(struct event_journal *events, const char *kind, char *text);

// Calls a watcher, which it borrows, whenever readers may find more events.
void event_journal_watch(struct event_journal *events, struct watcher *watcher);
void event_journal_unwatch(struct event_journal *events, struct watcher *watcher);

// The oldest event with a larger number; NULL: there is none yet. Valid until the next
// event_journal_add.
const struct journal_event *event_journal_next(const struct event_journal *events, uint64_t id);

// How many events with a larger number are kept.
uint32_t event_journal_count_after(const struct event_journal *events, uint64_t id);

// The number of the newest event, and of the newest one that is not kept any more: a reader that
// has not seen this one has missed some.
uint64_t event_journal_newest(const struct event_journal *events);
uint64_t event_journal_forgotten(const struct event_journal *events);

// How many events were forgotten since the journal was opened.
uint64_t event_journal_forgotten_count(const struct event_journal *events);

// Events that are not in the journal because it could not be written.
uint64_t event_journal_unwritten(const struct event_journal *events);
