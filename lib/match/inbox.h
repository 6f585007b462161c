// SPDX-License-Identifier: MIT
// The inputs of one client that wait for their tick.
#pragma once

#include "frame.h"
#include "input.h"
#include "refusal.h"
#include "rewind_limit.h"
#include "world.h"

// Inputs may come this many ticks ahead of the tick they are for; the window is a bit set.
#define RAIM_INBOX_TICKS 64

// After so long without an input the keys count as released.
#define RAIM_INBOX_HOLD_S 0.5

struct raim_inbox {
    raim_input waiting[RAIM_INBOX_TICKS]; // by tick modulo RAIM_INBOX_TICKS
    uint64_t has;                         // bit per slot of `waiting`
    uint64_t clamped;                     // likewise: it claimed an older view than it may have had
    raim_input held;                      // pressed where nothing arrived in time
    bool is_held_clamped;
    uint32_t first_tick, newest_tick; // of any input so far
    bool any;
    uint32_t starved_ticks; // played in a row without an input
    // Ticks by which messages came early: the least in this window so far, where one came, and the
    // least in the last window in which any came, which is what the client is told. See
    // RAIM_MARGIN_WINDOW. A message that is not the newest so far does not count.
    int32_t least;
    bool has_least;
    int32_t margin; // -RAIM_MAX_MARGIN to RAIM_MAX_MARGIN
};

// Ticks since the first input's, and those of them that were played without one in time.
struct raim_inbox_tally {
    uint32_t due, missed;
};

// Stores what a message tells for ticks that the world has not played yet. Returns RAIM_REFUSALS
// when it served, else why not. A late message still tells what is pressed.
//
// How late a client was shown the others is its own word. It counts up to the world's max_rewind
// and to what `rewind_limit` allows, counted back from the message's arrival; of what the input
// comes early, RAIM_INBOX_EARLY ticks are added, by which honest clients run ahead.
#define RAIM_INBOX_EARLY 2
enum raim_refusal raim_inbox_receive(struct raim_inbox *inbox, const struct raim_world *world,
                                     const struct raim_rewind_limit *rewind_limit,
                                     const struct raim_input_message *message);

// The input to play in the world's next tick. Call it once a tick.
raim_input raim_inbox_take(struct raim_inbox *inbox, const struct raim_world *world,
                           struct raim_inbox_tally *tally);
