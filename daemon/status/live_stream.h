// SPDX-License-Identifier: MIT
// Fan-out of live events to the dashboard's viewers. An event is rendered once per arena and shared
// by its viewers; a slow viewer skips events and does not delay others. Arenas without viewers are
// not rendered. Viewers see the arena with its spectator_delay unless they are undelayed; the first
// delayed viewer waits that long for its first event. Times are in ms of a monotonic clock that the
// caller reads. One thread only.
#pragma once

#include "arena_list.h"
#include "http_clients.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_STREAM_MAX 128U
#define LIVE_STREAM_SPARE 16U                    // evicted viewers that have not left yet
#define LIVE_STREAM_MAX_BYTES ((size_t)64 << 20) // events in the delay queues of all arenas
#define LIVE_STREAM_INTERVAL_MS 50U // half the status interval; bounds the added latency

struct live_stream;
struct viewer;

// Borrows the list. Returns NULL when memory runs out.
struct live_stream *live_stream_create(const struct arena_list *list);

// All viewers must have left. Takes NULL.
void live_stream_destroy(struct live_stream *live_stream);

// Adds a viewer of the arena at this index of the list. With LIVE_STREAM_MAX viewers present, a
// viewer is evicted from the address with the most viewers if that has at least two more than the
// new one's address. Returns NULL if no viewer can be evicted or memory runs out. `connection` is
// passed to the `wake` callbacks. The client may be NULL; otherwise its deadline is renewed while
// the viewer reads its events.
struct viewer *live_stream_join(struct live_stream *live_stream, int arena, bool is_undelayed,
                                void *connection, struct http_client *client, uint64_t now_ms);
void viewer_leave(struct viewer *viewer);

// Whether the viewer's stream has ended: the viewer was evicted, or its arena was removed or has
// another delay. A client that reconnects gets the new arena or delay.
bool viewer_is_over(const struct viewer *viewer);

// Copies up to `size` bytes of the viewer's due events and returns their number. After 0 the viewer
// sleeps until live_stream_run wakes it.
size_t viewer_read(struct viewer *viewer, char *bytes, size_t size, uint64_t now_ms);

// Renders newly published states and calls `wake` for the connection of each sleeping viewer that
// has bytes to read or has ended. Call it after an arena is freed and before another one is added
// to the list, because the new one could have the old one's address.
void live_stream_run(struct live_stream *live_stream, uint64_t now_ms,
                     void (*wake)(void *connection));

// Wakes all sleeping viewers, so that their connections can end.
void live_stream_wake_all(struct live_stream *live_stream, void (*wake)(void *connection));

// When live_stream_run must be called; UINT64_MAX: nobody watches.
uint64_t live_stream_due_ms(const struct live_stream *live_stream);
