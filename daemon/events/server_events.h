// SPDX-License-Identifier: MIT
// The events of the server, for programs that watch it: /events, raimctl and the hook. An
// event is a JSON object on one line: {"id", "time", "kind", "arena"?, ...}, with the members of
// events.schema.json for its kind. Its journal, $STATE_DIRECTORY/server.events, makes the next
// process continue with the numbers.
//
// Addresses of players, and commands that may contain one, belong into the member "private" alone,
// an object that must be the last member of an event: only the control socket shows it.
// Thread rule: main thread only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
    EVENT_START,
    EVENT_STOP,
    EVENT_JOIN,
    EVENT_LEAVE,
    EVENT_CHAT,
    EVENT_KILL,
    EVENT_ROUND_ENDED,
    EVENT_VOTE,
    EVENT_BAN,
    EVENT_UNBAN,
    EVENT_COMMAND,
    EVENT_OVERLOAD,
    EVENT_RELOAD,
    EVENT_KINDS
};

// A set of kinds has the bit 1 << kind for each.
#define EVENT_KINDS_ALL ((UINT32_C(1) << EVENT_KINDS) - 1)
// Chat and kills are many, and what players say is theirs: they are events only where wanted.
#define EVENT_KINDS_USUAL                                                                          \
    (EVENT_KINDS_ALL & ~(UINT32_C(1) << EVENT_CHAT) & ~(UINT32_C(1) << EVENT_KILL))

const char *event_kind_name(enum event_kind kind);

// Returns false for another text.
bool event_kind_find(const char *name, enum event_kind *kind);

struct event_journal;
struct server_events;
struct store;
struct text_buffer;

// Reads the journal of a store, which it borrows; NULL: events are kept in memory only. Returns
// NULL when memory runs out.
struct server_events *server_events_open(struct store *store);

// Takes NULL.
void server_events_close(struct server_events *events);

// Sets the kinds of events that are kept, as a set. 0 means EVENT_KINDS_USUAL, with which it opens.
// Takes NULL.
void server_events_choose(struct server_events *events, uint32_t kinds);

// Whether events of a kind are kept. Takes NULL.
bool server_events_wants(const struct server_events *events, enum event_kind kind);

// Adds an event of a kind that has a name above, unless its kind is not kept. `arena` NULL: none.
// Takes `fields`, for free(), a JSON object without line feeds whose members follow those of every
// event; NULL: memory has run out, and the event is counted as lost. With `events` NULL only frees.
void server_events_add(struct server_events *events, const char *kind, const char *arena,
                       char *fields);

// The journal, for readers.
struct event_journal *server_events_journal(const struct server_events *events);

// Writes an event without its private member.
void server_events_print_public(struct text_buffer *out, const char *text);

// The number of the newest event before a time, in s since 1970, of a journal of the server's
// events; 0: none is kept.
uint64_t server_events_newest_id_before(const struct event_journal *journal, int64_t since_s);

// The number of events that were lost because memory ran out.
uint64_t server_events_lost(const struct server_events *events);
