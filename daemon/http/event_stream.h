// SPDX-License-Identifier: MIT
// Who watches arenas on the dashboard. An event is rendered once for all viewers of an arena, who
// share its bytes; a viewer that is slow misses events, and delays nobody. Nothing is rendered
// for an arena that nobody watches. Viewers see everything as late as the arena's spectators do,
// unless the caller knows better; the first of them waits so long for its first event. All times
// are in ms of a clock that the caller reads; all of it belongs to one thread.
#pragma once

#include "arena_list.h"
#include "http_clients.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_STREAM_MAX 128U
#define EVENT_STREAM_SPARE 16U                    // that made room and have not left yet
#define EVENT_STREAM_MAX_BYTES ((size_t)64 << 20) // of events that wait to be late enough
#define EVENT_STREAM_INTERVAL_MS                                                                   \
    50U // half the interval of the status: an event is this late at most

struct event_stream;
struct viewer;

// Borrows the list. NULL when memory runs out.
struct event_stream *event_stream_create(const struct arena_list *list);

// Every viewer must have left.
void event_stream_destroy(struct event_stream *event_stream);

// A viewer of the arena that is at this index of the list now, of EVENT_STREAM_MAX. Where there are
// so many, one of an address with at least two more than the new one's is ended; NULL where there
// is none, or when memory runs out. `connection` is the caller's, for event_stream_run. The client
// may be NULL; else its deadline is moved as long as the viewer takes what there is.
struct viewer *event_stream_join(struct event_stream *event_stream, int arena, bool is_undelayed,
                                 void *connection, struct http_client *client, uint64_t now_ms);
void viewer_leave(struct viewer *viewer);

// Whether the viewer sees nothing more: it made room, or its arena has left the list or has another
// delay. Those who come anew see the arena as it is then.
bool viewer_is_over(const struct viewer *viewer);

// Copies up to `size` of the bytes that are due to the viewer; 0 when there are none, after which
// it sleeps until event_stream_run wakes it.
size_t viewer_read(struct viewer *viewer, char *bytes, size_t size, uint64_t now_ms);

// Renders what was published, and calls `wake` for the connection of everybody who slept and has
// something to read or is over. Call it after an arena was freed and before another one is added to
// the list, which could have the same address.
void event_stream_run(struct event_stream *event_stream, uint64_t now_ms,
                      void (*wake)(void *connection));

// Wakes everybody who sleeps, for the end.
void event_stream_wake_all(struct event_stream *event_stream, void (*wake)(void *connection));

// Milliseconds until event_stream_run wants to be called, or -1.
int event_stream_timeout_ms(const struct event_stream *event_stream, uint64_t now_ms);
