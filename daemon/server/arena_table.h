// SPDX-License-Identifier: MIT
// The arenas that run: which worker plays each, and by what configuration. Arenas come and go while
// the others are played. Main thread only.
#pragma once

#include "arena.h"
#include "config.h"
#include "socket_activation.h"
#include "status.h"
#include "worker.h"

#include <stdbool.h>
#include <stdint.h>

// An arena's place in the fleet.
struct berth {
    struct arena *arena;
    struct worker *worker;
    struct config *config; // held; what it is to be played by, from the next bout on
    int index;             // of its arena there
    uint32_t ticks_seen;
    struct berth *next; // of those that leave
};

struct fleet {
    int count;
    struct berth *berths[CONFIG_MAX_ARENAS];
    struct arena *arenas[CONFIG_MAX_ARENAS]; // in the same order
    struct berth *leaving;
    struct worker **workers;
    int worker_count;
    struct passed passed;
    struct status_source source; // the arenas and workers as others see them
};

// What `berth` is to be played by.
const struct config_arena *berth_wanted(const struct berth *berth);

// Opens an arena of a configuration, which it shares, and its port. NULL with a reason in `error`.
struct berth *berth_open(struct fleet *fleet, struct config *config, int index, char *error,
                         size_t capacity);

// Makes a bout by what is wanted, on that map of the rotation, or on the one that is played where
// `keeps_map`. NULL when memory runs out.
struct bout *berth_prepare(const struct berth *berth, int place, bool keeps_map);

// The same on the only map of a configuration, which it shares, read from that file; at once, in a
// new round.
struct bout *berth_prepare_map(const struct berth *berth, struct config *map, const char *path);

// Takes NULL. No worker may play it.
void berth_close(struct berth *berth);

// Whether what is wanted has rounds.
bool berth_has_rounds(const struct berth *berth);

// The place in the rotation that is wanted of the map that is played; the last where it is not
// there, so that the first comes next.
int berth_find_place(const struct berth *berth);
int berth_next_place(const struct berth *berth);

// Before the workers start, a berth is only listed. Takes the berth. Afterwards its arena goes to
// the worker with the fewest; false, and the berth is still the caller's, where none would take it.
bool fleet_add(struct fleet *fleet, struct berth *berth);

// Deals the arenas out to so many workers and starts these. False with a reason in `error`.
bool fleet_start(struct fleet *fleet, int worker_count, char *error, size_t capacity);

// Tells every client goodbye, which takes at most half a second, and ends the workers.
void fleet_stop(struct fleet *fleet);

// Closes every arena; none is played any more.
void fleet_close(struct fleet *fleet);

// The index of the arena of this name, or -1.
int fleet_find(const struct fleet *fleet, const char *name);

// Has the arena at this index leave. False, and it stays, where its worker does not listen.
bool fleet_remove(struct fleet *fleet, int index);

// The next arena that has left, for the caller to close; NULL: none.
struct berth *fleet_next_gone(struct fleet *fleet);

// Frees what has been played of one arena, and prepares its next round where it has a rotation.
// True when another match is played than at the last call.
bool fleet_collect(struct fleet *fleet, int index);

// Milliseconds until fleet_collect and fleet_next_gone want to be called, or -1.
int fleet_timeout_ms(const struct fleet *fleet);

// Whether every arena has ticked since the call before; those that are new need not have.
bool fleet_ticks_advance(struct fleet *fleet);
