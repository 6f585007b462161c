// SPDX-License-Identifier: MIT
// The inputs of one client that wait for their tick.
#pragma once

#include "frame.h"
#include "input.h"
#include "refusal.h"
#include "world.h"

// Inputs may come this many ticks ahead of the tick they are for; the window is a bit set.
#define RAIM_INBOX_TICKS 64

// After so long without an input the keys count as released.
#define RAIM_INBOX_HOLD_S 0.5

struct raim_inbox {
    raim_input waiting[RAIM_INBOX_TICKS]; // by tick modulo RAIM_INBOX_TICKS
    uint64_t has;                         // bit per slot of `waiting`
    raim_input held;                      // pressed where nothing arrived in time
    uint32_t newest_tick;                 // of any input so far
    bool any;
    uint32_t hungry_ticks; // played in a row without an input
    // Ticks by which messages came early: the least in this window so far, where one came, and the
    // least in the last window in which any came, which is what the client is told. See
    // RAIM_MARGIN_WINDOW. A message that is not the newest so far does not count.
    int32_t least;
    bool has_least;
    int32_t margin; // -RAIM_MAX_MARGIN to RAIM_MAX_MARGIN
};

// Stores what a message tells for ticks not yet played; `tick` is the next one to be played.
// Returns RAIM_REFUSALS when it served, else why not. A late message still tells what is pressed.
enum raim_refusal raim_inbox_receive(struct raim_inbox *inbox, uint32_t tick,
                                     const struct raim_input_message *message);

// The input to play in `tick`. Call it once a tick.
raim_input raim_inbox_take(struct raim_inbox *inbox, uint32_t tick, uint32_t tick_hz);
