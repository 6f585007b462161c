// SPDX-License-Identifier: MIT
// Profile of an arena's ticks: how long each stage of a tick takes. Interest management and
// encoding alternate client by client, so a tick that is measured reads the clock several times per
// client; one tick in TICK_PROFILE_EVERY is. Thread rule: a profile and a timer belong to one
// thread at a time.
#pragma once

#include "metric.h"

#include <stdbool.h>
#include <stdint.h>

// A prime, so that what happens every few ticks is measured in its share of them.
#define TICK_PROFILE_EVERY 7

// Measured ticks kept for the percentiles: about 30 s at 60 Hz.
#define TICK_PROFILE_WINDOW 256

enum tick_stage {
    TICK_STAGE_RECEIVE,  // reads datagrams and handles their messages
    TICK_STAGE_STEP,     // executes commands, plays the tick, saves the checkpoint
    TICK_STAGE_INTEREST, // finds what each client may be sent
    TICK_STAGE_ENCODE,   // writes the messages
    TICK_STAGE_SEND,     // passes them to ENet, and the datagrams to the kernel
    TICK_STAGES,
};

extern const char *const tick_stage_names[TICK_STAGES];

struct tick_profile {
    struct histogram stages[TICK_STAGES];          // of all measured ticks
    uint32_t count;                                // of measured ticks ever
    uint32_t ns[TICK_STAGES][TICK_PROFILE_WINDOW]; // ring of the newest durations
};

// Measures one tick.
struct tick_timer {
    bool is_on;
    enum tick_stage stage; // the present one
    uint64_t since_ns;     // its beginning
    uint64_t spent_ns[TICK_STAGES];
};

// Begins a tick in its first stage, at `now_ns`. A timer that is not on ignores all further calls.
void tick_timer_begin(struct tick_timer *timer, bool is_on, uint64_t now_ns);

// Ends the present stage and begins, or continues, another one.
void tick_timer_enter(struct tick_timer *timer, enum tick_stage stage);

// Ends the tick and adds its durations to the profile.
void tick_timer_end(struct tick_timer *timer, struct tick_profile *profile);

// The number of ticks in the window, whose durations are the first of each ring.
uint32_t tick_profile_kept(const struct tick_profile *profile);
