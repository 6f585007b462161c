// SPDX-License-Identifier: MIT
// What an arena is made of, for the two files that know: arena.c runs it, arena_matches.c says what
// it plays.
#pragma once

#include "access_control.h"
#include "answers.h"
#include "arena.h"
#include "arena_checkpoint.h"
#include "arena_commands.h"
#include "triple_buffer.h"
#include "used_tokens_file.h"

#include <stdatomic.h>

#define NS_PER_S UINT64_C(1000000000)

struct arena {
    const struct config_arena *config;           // of the bout that is played, like
    struct raim_match *match;                    // this
    struct prepared_match *bout;                 // that is played
    struct prepared_match *coming;               // in the next round; NULL: none
    struct prepared_match_stack offered, played; // to the worker and back
    struct transport *transport;
    int timer;
    uint64_t tick_ns;     // period
    uint64_t deadline_ns; // of the next tick, CLOCK_MONOTONIC
    uint32_t places;
    uint64_t late_ticks, skipped_ticks;
    struct histogram durations, latenesses;
    uint32_t tick_us[ARENA_TICK_WINDOW]; // ring
    uint32_t tick_us_count;              // ever
    uint32_t publish_in;                 // ticks
    struct raim_match_player *rows;
    struct triple_buffer status;
    struct answers answers;
    struct rejection_log flood;           // the main thread's, like
    struct overload overload;             // this
    struct access_control *admission;     // NULL: everybody is let in
    struct used_tokens_file *used_tokens; // of the admission; NULL: they cannot be noted
    struct raim_match_guard guard;
    struct arena_commands steward;
    struct arena_checkpoint keeper;
    _Atomic bool goes_on; // with the next process, when it ends
    uint64_t leave_ns;    // CLOCK_MONOTONIC; 0: it stays
    _Atomic uint32_t ticks;
    _Atomic uint64_t ticked_ms;
    _Atomic bool let_go;

    // What only the main thread looks at.
    const struct prepared_match *shown;    // the newest that it knows to be played
    const struct prepared_match *awaited;  // the newest on offer for the next round
    const struct prepared_match *imminent; // the newest on offer at once
    // As opened.
    uint32_t max_players, max_spectators, connections;
};

// The bout's match and config are those of the arena from now on.
void arena_play_bout(struct arena *arena, struct prepared_match *bout);

// Begins what is due of the bouts on offer; between two ticks.
void arena_take_bouts(struct arena *arena);
