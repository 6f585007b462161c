// SPDX-License-Identifier: MIT
// The arenas of the server: which worker runs each, and by what configuration. Arenas come and go
// while the others run. Main thread only.
#pragma once

#include "arena.h"
#include "arena_list.h"
#include "config.h"
#include "socket_activation.h"
#include "wakeup.h"
#include "worker.h"

#include <stdbool.h>
#include <stdint.h>

// An arena's place in the table.
struct arena_slot {
    struct arena *arena;
    struct worker *worker;
    struct config *config; // held; what it is to be played by, from the next prepared on
    int index;             // of its arena there
    uint32_t ticks_seen;
    struct arena_slot *next; // of those that leave
};

struct arena_table {
    struct config *config; // held; that runs
    const char *path;      // of its file; NULL: none
    struct arena_list running;
    struct arena_slot *slots[CONFIG_MAX_ARENAS]; // of the running arenas, in the same order
    struct arena_slot *leaving;
    struct socket_activation sockets;
    struct wakeup wakeup; // of the main thread, signalled by the workers
};

// Opens every arena of a configuration and its port. False after logging why; arena_table_close is
// to be called all the same. Takes the configuration in any case, borrows the path of its file,
// NULL for none.
bool arena_table_open(struct arena_table *table, struct config *config, const char *path);

// What `slot` is to be played by.
const struct config_arena *arena_slot_wanted(const struct arena_slot *slot);

// Opens an arena of a configuration, which it shares, and its port. NULL with a reason in `error`.
struct arena_slot *arena_slot_open(struct arena_table *table, struct config *config, int index,
                                   char *error, size_t capacity);

// Makes a prepared by what is wanted, on that map of the rotation, or on the one that is played
// where `keeps_map`. NULL when memory runs out.
struct prepared_match *arena_slot_prepare(const struct arena_slot *slot, int map_index,
                                          bool keeps_map);

// The same on the only map of a configuration, which it shares, read from that file; at once, in a
// new round.
struct prepared_match *arena_slot_prepare_map(const struct arena_slot *slot, struct config *map,
                                              const char *path);

// Takes NULL. No worker may play it.
void arena_slot_close(struct arena_slot *slot);

// Whether what is wanted has rounds.
bool arena_slot_has_rounds(const struct arena_slot *slot);

// The place in the rotation that is wanted of the map that is played; the last where it is not
// there, so that the first comes next.
int arena_slot_find_map_index(const struct arena_slot *slot);
int arena_slot_next_map_index(const struct arena_slot *slot);

// Before the workers start, a slot is only listed. Takes the slot. Afterwards its arena goes to
// the worker with the fewest; false, and the slot is still the caller's, where none would take it.
bool arena_table_add(struct arena_table *table, struct arena_slot *slot);

// Starts the workers and deals the arenas out to them. False after logging why.
bool arena_table_start(struct arena_table *table);

// What ends is only this process: every arena is kept for the next one, where there is a directory
// for that. To be called before arena_table_stop.
void arena_table_keep_checkpoints(struct arena_table *table);

// Tells every client goodbye, which takes at most half a second, and ends the workers.
void arena_table_stop(struct arena_table *table);

// Closes every arena; none is played any more.
void arena_table_close(struct arena_table *table);

// Has the arena at this index leave. False, and it stays, where its worker does not listen.
bool arena_table_remove(struct arena_table *table, int index);

// The next arena that has left, for the caller to close; NULL: none.
struct arena_slot *arena_table_next_gone(struct arena_table *table);

// Frees what has been played, and prepares the next round of every arena that has a rotation.
void arena_table_collect(struct arena_table *table);

// Whether every arena has ticked since the call before; those that are new need not have.
bool arena_table_ticks_advance(struct arena_table *table);

void arena_table_count_players(const struct arena_table *table, uint32_t *players, uint32_t *bots);
