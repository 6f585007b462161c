// SPDX-License-Identifier: MIT
// The table of arenas: each slot holds an arena, its worker and its configuration. Arenas are added
// and removed while the others run. Main thread only.
#pragma once

#include "arena.h"
#include "arena_list.h"
#include "config.h"
#include "reload_report.h"
#include "systemd.h"
#include "wakeup.h"
#include "watchers.h"
#include "worker.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct fetch;
struct results;
struct server_events;
struct store;

struct arena_slot {
    struct arena *arena;
    struct worker *worker;
    struct config *config; // held; applies from the next prepared match on
    int index;             // of the arena in `config`
    uint32_t ticks_seen;
    struct arena_slot *next; // in the list of leaving arenas
};

// Where arenas whose configured port is 0 get a port from. `find` NULL: the kernel chooses.
struct arena_ports {
    const void *context;
    uint16_t (*find)(const void *context, const char *arena); // 0: there is none for this arena
};

struct arena_table {
    struct config *config; // held; in force
    const char *path;      // of its file; NULL: none
    struct arena_list running;
    struct arena_slot *slots[CONFIG_MAX_ARENAS]; // of the running arenas, in the same order
    struct arena_slot *leaving;
    struct socket_activation sockets;
    struct arena_ports ports;
    char recording_dir[CONFIG_PATH_BYTES]; // configured for the directory that is in use
    struct recorder *recorder;             // NULL: nothing is recorded
    struct recordings *recordings;         // the recorder's; NULL: none
    struct results *results; // borrowed, for those who read the event queues; NULL: not recorded
    struct store *store;     // borrowed; NULL in tests alone: nothing is kept
    struct fetch *urls;      // borrowed; NULL: no URL was configured at the start
    struct server_events *events; // borrowed; NULL in tests alone
    struct wakeup wakeup;         // of the main thread, signalled by the workers
    struct watchers watchers;     // called when the arenas have reported, and after a reload
};

// Opens the recorder, and every arena of a configuration with its port. Returns false after logging
// the reason; the caller must call arena_table_close in either case. Takes `config` in either case.
// Borrows `path`, of the configuration's file; NULL for none. The table is zeroed, except that
// `ports`, `store`, `urls`, `events` and `watchers` may be set.
bool arena_table_open(struct arena_table *table, struct config *config, const char *path);

// The configuration that a slot is to have, from its next prepared match on.
const struct config_arena *arena_slot_wanted(const struct arena_slot *slot);

// Opens the arena at `index` of a configuration, and its port. Shares `config`. Returns NULL and
// writes a reason into `error`.
struct arena_slot *arena_slot_open(struct arena_table *table, struct config *config, int index,
                                   char *error, size_t capacity);

// Takes NULL. No worker may be running the arena.
void arena_slot_close(struct arena_slot *slot);

// Opens an arena, see arena_slot_open. Its configuration is a copy of `arena`, whose maps belong to
// `owner`. A reload of the configuration does not change it.
struct arena_slot *arena_slot_open_on_demand(struct arena_table *table,
                                             const struct config_arena *arena, struct config *owner,
                                             char *error, size_t capacity);

// Adds a slot to the table and takes it. Once the workers run, the arena goes to the worker with
// the fewest arenas. Returns false, and leaves the slot to the caller, if the table is full or the
// worker's mailbox is.
bool arena_table_add(struct arena_table *table, struct arena_slot *slot);

// Starts the workers and distributes the arenas over them. Returns false after logging the reason.
bool arena_table_start(struct arena_table *table);

// Makes arena_table_stop keep a checkpoint of every arena for the next process, where
// $RUNTIME_DIRECTORY is set.
void arena_table_keep_checkpoints(struct arena_table *table);

// Disconnects every client, which takes at most half a second, ends the workers and
// closes the ports.
void arena_table_stop(struct arena_table *table);

// Closes every arena. The workers must have ended.
void arena_table_close(struct arena_table *table);

// Asks the worker of the arena at this index to end it, and removes it from the table. Returns
// false and leaves it in the table if the mailbox of its worker is full.
bool arena_table_remove(struct arena_table *table, int index);

// Whether an arena of this name is still leaving, which takes half a second: its checkpoint may
// still have the name.
bool arena_table_is_leaving(const struct arena_table *table, const char *name);

// The next arena that its worker has released, for the caller to close; NULL: none.
struct arena_slot *arena_table_next_gone(struct arena_table *table);

// Completes finished writes of used-token files. Returns whether any arena still waits for one.
bool arena_table_poll_token_marking(struct arena_table *table);

// Frees the matches that have ended, and prepares the next map of every arena with a rotation.
void arena_table_collect(struct arena_table *table);

// Whether every arena has ticked since the last call. An arena added since then counts as ticking.
bool arena_table_ticks_advance(struct arena_table *table);

// The configuration and the port of the running arena at this index; NULL after the last one. The
// table is untyped for lan_discovery.h.
const struct config_arena *arena_table_at(const void *table, int index, uint16_t *port);

void arena_table_count_players(const struct arena_table *table, uint32_t *players, uint32_t *bots);

// Finds the directory of recordings: the configured one, or that in $STATE_DIRECTORY. `path` has
// PATH_MAX bytes. Returns false if there is none.
bool recording_directory_find(const struct config *config, char *path);

// Applies a configuration that a reload is about to put in force, and reports what cannot be
// applied.
void arena_table_change_recorder(struct arena_table *table, const struct config *config,
                                 struct reload_report *report);
