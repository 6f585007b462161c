// SPDX-License-Identifier: MIT
// Records of arenas in files, so that the next process opens the same arenas again. A file per
// arena, "NAME.arena" in $STATE_DIRECTORY. They are not synced to the disk: they have to survive
// the process, not the machine. Main thread only.
#pragma once

#include "config.h"

#include <stdbool.h>
#include <stdint.h>

#define ARENA_STORE_ID_BYTES 64    // with the closing NUL
#define ARENA_STORE_CAUSE_BYTES 16 // with the closing NUL

// A record. Texts are borrowed when it is written, and owned when it is read.
struct arena_record {
    char id[ARENA_STORE_ID_BYTES];
    char name[CONFIG_NAME_BYTES]; // of the arena
    uint16_t port;
    uint32_t max_players;                // as changed since
    int64_t made_s, join_until_s;        // seconds since 1970
    bool was_joined;                     // a player has come
    bool is_draining;                    // it ends when everybody has left, or at drain_until_s
    int64_t drain_until_s;               // 0: no limit
    char cause[ARENA_STORE_CAUSE_BYTES]; // of its end, a word; "": it is not ending
    char *metadata, *request;            // JSON
    char *result;                        // of the newest round, JSON; NULL: none has ended
};

struct store;

// Replaces the record of this name.
void arena_store_write(struct store *store, const struct arena_record *record);

void arena_store_remove(struct store *store, const char *arena);

// Reads every record and calls `take`, which owns the texts. Files that are no records are removed
// and logged. At most CONFIG_MAX_ARENAS records are read. Nothing is read where nothing is kept.
void arena_store_read(struct store *store, void *context,
                      void (*take)(void *context, struct arena_record *record));
