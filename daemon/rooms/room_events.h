// SPDX-License-Identifier: MIT
// The log of what happened in rooms: numbered events with a JSON text each. The newest ones are
// kept in memory for readers, which continue behind the number that they have seen, and in a
// journal file, from which the next process continues with numbers and events. An event is in the
// journal before a reader can see it. Main thread only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_EVENTS_MAX 4096U                   // that are kept
#define ROOM_EVENTS_MAX_BYTES ((size_t)4 << 20) // of their texts

struct room_event {
    uint64_t id; // ascending; below 2^53
    char *kind;  // owned, as is the text
    char *text;  // JSON
};

struct room_events;

// Reads the journal `path`; NULL: events are kept in memory only. The numbers continue with one
// that no earlier process can have reached, made of `now_s`, the seconds since 1970. A damaged
// journal is read as far as it is good. Returns NULL when memory runs out.
struct room_events *room_events_open(const char *path, int64_t now_s);

// Takes NULL.
void room_events_close(struct room_events *events);

// Adds an event and takes `text`, a JSON object without line feeds; NULL: memory has run out, and
// the event is counted as lost. `kind` is a word.
void room_events_add(struct room_events *events, const char *kind, char *text);

// The oldest event with a larger number; NULL: there is none yet. Valid until the next
// room_events_add.
const struct room_event *room_events_next(const struct room_events *events, uint64_t id);

// The number of the newest event, and of the newest one that is not kept any more: a reader that
// has not seen this one has missed some.
uint64_t room_events_newest(const struct room_events *events);
uint64_t room_events_forgotten(const struct room_events *events);

// Events that are not in the journal because it could not be written.
uint64_t room_events_unwritten(const struct room_events *events);
