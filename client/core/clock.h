// SPDX-License-Identifier: MIT
// When a client presses: its clock runs ahead of the snapshots that it gets, so far that what it
// presses reaches the server just before it is played. The server tells, a window of ticks at a
// time, by how much the latest of its messages came early; of several seconds of these windows the
// least is kept at a tick or two: every input travels in several messages, so what is lost is made
// good by the next one, and that comes a tick later.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RAIM_CLOCK_WINDOWS 64 // that are remembered at most
#define RAIM_CLOCK_MARKS 32

// All ticks of type double count from `start_tick`, and so do not wrap.
struct raim_clock {
    bool is_set;
    uint32_t tick_hz;
    uint32_t start_tick; // of the snapshot that set it
    uint64_t start_us;   // when that came
    double round_trip;   // ticks, smoothed as RFC 6298 has it; 0: unknown

    // The clock is `offset` ticks ahead of a steady one, and on its way to `wanted`.
    double offset, wanted;
    uint64_t slews_since_us;
    uint32_t next_tick; // of the next press

    // What the server told of its windows: margins less the offsets at which they came about, so
    // that they say what any other offset would have led to.
    uint32_t windows_end; // tick at which the newest window ended
    uint32_t window_count;
    float windows[RAIM_CLOCK_WINDOWS]; // ring
    float marks[RAIM_CLOCK_MARKS];     // offsets of presses, by tick / 8, modulo their number
    bool has_pressed;                  // since it was set
    uint32_t first_tick;               // pressed for
    uint64_t early_since_us;           // that it runs too far ahead to be heard; 0: it does not
};

// The number of messages in which each input is to travel: what a few of them together lose or
// overtake, the others bring in time.
uint32_t raim_clock_inputs(uint32_t tick_hz);

// A clock that is not set. `round_trip_us` is a first estimate.
void raim_clock_init(struct raim_clock *clock, uint32_t tick_hz, uint64_t round_trip_us);

// A snapshot of a tick has come, and tells a margin (frame.h). The first one sets the clock.
void raim_clock_hear(struct raim_clock *clock, uint64_t now_us, uint32_t tick, int32_t margin);

// The same for a spectator, whom the server tells no margin.
void raim_clock_watch(struct raim_clock *clock, uint64_t now_us, uint32_t tick);

bool raim_clock_is_due(const struct raim_clock *clock, uint64_t now_us);

// Takes a press that is due, and returns the tick that it is for. Where far too many are due, as
// after a pause, it leaves out those that would come too late anyway.
uint32_t raim_clock_press(struct raim_clock *clock, uint64_t now_us);

// Ticks, with fractions, by which the clock is beyond the tick before that of the next press: 0 to
// 1, however late the press is.
double raim_clock_phase(const struct raim_clock *clock, uint64_t now_us);
