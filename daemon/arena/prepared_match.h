// SPDX-License-Identifier: MIT
// A prepared match: a match with its configuration, built by the main thread, run by the arena's
// worker until another replaces it, and returned to the main thread to be freed. Neither thread
// waits for the other, and the worker neither allocates nor frees.
#pragma once

#include "checkpoint_file.h"
#include "config.h"
#include "match.h"
#include "recording_input.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The memory with which a match can be recorded: a recording input for its world, and its scene as
// bytes. The main thread allocates it with the match, and it moves with the match from one prepared
// match to the next.

struct recording_memory {
    void *memory; // of a recording input; NULL: the match cannot be recorded
    uint8_t *scene;
    size_t scene_size;
};

// Allocates the memory. Returns false when memory runs out. Main thread.
bool recording_memory_create(struct recording_memory *records, const struct raim_match *match);

// Frees it. Accepts one that is all zero. Main thread.
void recording_memory_destroy(struct recording_memory *records);

struct prepared_match {
    struct config_arena config;       // a copy; its maps belong to the owner; `map` is played
    struct config *owner;             // held; NULL: none
    struct raim_match *match;         // NULL: the running match continues, tuned by `config`
    struct recording_memory records;  // of the match; all zero: it cannot be recorded
    struct checkpoint_map map;        // identifies the map in checkpoints
    bool has_known_tokens;            // another arena of this name has admitted access tokens
    bool at_once;                     // begins with the next tick, not with the next round
    bool keeps_round;                 // the round and its scores continue
    bool takes_waiting_round;         // begins at once where the round waits for its first player
    struct prepared_match *successor; // replaced it; NULL: none, or it never began
    struct prepared_match *next;      // in a list
};

// Copies `config`, shares `owner`, takes `match`. Returns NULL when memory runs out, after freeing
// the match. Main thread.
struct prepared_match *prepared_match_create(const struct config_arena *config,
                                             struct config *owner, struct raim_match *match);

// Takes NULL. Main thread.
void prepared_match_free(struct prepared_match *prepared);

// Frees a list linked by `next`. Takes NULL. Main thread.
void prepared_match_free_all(struct prepared_match *matches);

// Moves the match of `before` into `prepared`, which has none, with its map and the part of its
// configuration that cannot be tuned. The owner of the map stays in `before`, because the main
// thread may be reading it. Worker thread.
void prepared_match_inherit(struct prepared_match *prepared, struct prepared_match *before);

// --- A lock-free stack: one thread pushes, the other takes everything at once. ---

struct prepared_match_stack {
    _Atomic(struct prepared_match *) newest;
};

void prepared_match_push(struct prepared_match_stack *stack, struct prepared_match *prepared);

// Takes everything that was pushed, linked by `next`, the oldest first; NULL: nothing.
struct prepared_match *prepared_match_take(struct prepared_match_stack *stack);
