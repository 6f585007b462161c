// SPDX-License-Identifier: MIT
// A prepared: a match and the configuration that it is played by. The main thread makes one, the
// arena's worker plays it, and another takes its place: what has been played goes back to the main
// thread to be freed. Neither ever waits for the other, and the worker allocates and frees nothing.
#pragma once

#include "checkpoint.h"
#include "config.h"
#include "match.h"

#include <stdatomic.h>
#include <stdbool.h>

struct prepared_match {
    struct config_arena config; // a copy, whose maps are the owner's; `map` is the one played on
    struct config *owner;       // held; NULL: none
    struct raim_match *match;   // NULL: the one before goes on, tuned by this config
    struct checkpoint_map map;  // what it is called by; with a path where the operator chose it
    bool at_once;               // begins with the next tick, not with the next round
    bool keeps_round;           // goes on with the round and its scores
    struct prepared_match *successor; // what took its place; NULL: nothing, or it never began
    struct prepared_match *next;      // in a stack
};

// Copies the config, shares the owner, takes the match. NULL when memory runs out; then the match
// is freed. Main thread.
struct prepared_match *prepared_match_create(const struct config_arena *config,
                                             struct config *owner, struct raim_match *match);

// Takes NULL. Main thread.
void prepared_match_free(struct prepared_match *prepared);

// Frees all that are linked by `next`. Takes NULL. Main thread.
void prepared_match_free_all(struct prepared_match *matches);

// Gives a prepared that has no match that of the one before it, and all that goes with a match but
// the owner of its map, which the main thread may be looking at.
void prepared_match_inherit(struct prepared_match *prepared, struct prepared_match *before);

struct raim_match_tuning prepared_match_tuning(const struct config_arena *config);

// --- A stack between two threads: one pushes, the other takes all. ---

struct prepared_match_stack {
    _Atomic(struct prepared_match *) newest;
};

void prepared_match_push(struct prepared_match_stack *stack, struct prepared_match *prepared);

// All that was pushed, linked by `next`, the oldest first; NULL: nothing.
struct prepared_match *prepared_match_take(struct prepared_match_stack *stack);
