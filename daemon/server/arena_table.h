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
struct arena_slot {
    struct arena *arena;
    struct worker *worker;
    struct config *config; // held; what it is to be played by, from the next bout on
    int index;             // of its arena there
    uint32_t ticks_seen;
    struct arena_slot *next; // of those that leave
};

struct arena_table {
    int count;
    struct arena_slot *berths[CONFIG_MAX_ARENAS];
    struct arena *arenas[CONFIG_MAX_ARENAS]; // in the same order
    struct arena_slot *leaving;
    struct worker **workers;
    int worker_count;
    struct socket_activation passed;
    struct status_source source; // the arenas and workers as others see them
};

// What `berth` is to be played by.
const struct config_arena *arena_slot_wanted(const struct arena_slot *berth);

// Opens an arena of a configuration, which it shares, and its port. NULL with a reason in `error`.
struct arena_slot *arena_slot_open(struct arena_table *fleet, struct config *config, int index,
                                   char *error, size_t capacity);

// Makes a bout by what is wanted, on that map of the rotation, or on the one that is played where
// `keeps_map`. NULL when memory runs out.
struct prepared_match *arena_slot_prepare(const struct arena_slot *berth, int place,
                                          bool keeps_map);

// The same on the only map of a configuration, which it shares, read from that file; at once, in a
// new round.
struct prepared_match *arena_slot_prepare_map(const struct arena_slot *berth, struct config *map,
                                              const char *path);

// Takes NULL. No worker may play it.
void arena_slot_close(struct arena_slot *berth);

// Whether what is wanted has rounds.
bool arena_slot_has_rounds(const struct arena_slot *berth);

// The place in the rotation that is wanted of the map that is played; the last where it is not
// there, so that the first comes next.
int arena_slot_find_place(const struct arena_slot *berth);
int arena_slot_next_place(const struct arena_slot *berth);

// Before the workers start, a berth is only listed. Takes the berth. Afterwards its arena goes to
// the worker with the fewest; false, and the berth is still the caller's, where none would take it.
bool arena_table_add(struct arena_table *fleet, struct arena_slot *berth);

// Deals the arenas out to so many workers and starts these. False with a reason in `error`.
bool arena_table_start(struct arena_table *fleet, int worker_count, char *error, size_t capacity);

// Tells every client goodbye, which takes at most half a second, and ends the workers.
void arena_table_stop(struct arena_table *fleet);

// Closes every arena; none is played any more.
void arena_table_close(struct arena_table *fleet);

// The index of the arena of this name, or -1.
int arena_table_find(const struct arena_table *fleet, const char *name);

// Has the arena at this index leave. False, and it stays, where its worker does not listen.
bool arena_table_remove(struct arena_table *fleet, int index);

// The next arena that has left, for the caller to close; NULL: none.
struct arena_slot *arena_table_next_gone(struct arena_table *fleet);

// Frees what has been played of one arena, and prepares its next round where it has a rotation.
// True when another match is played than at the last call.
bool arena_table_collect(struct arena_table *fleet, int index);

// Milliseconds until arena_table_collect and arena_table_next_gone want to be called, or -1.
int arena_table_timeout_ms(const struct arena_table *fleet);

// Whether every arena has ticked since the call before; those that are new need not have.
bool arena_table_ticks_advance(struct arena_table *fleet);
