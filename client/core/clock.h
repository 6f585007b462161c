// SPDX-License-Identifier: MIT
// Input clock of a client: how far the client runs ahead of the snapshots, so that each input
// reaches the server just before the tick that plays it. For each window of ticks the server
// reports the margin by which the latest input was early. The clock keeps the smallest margin of
// the last seconds at one to two ticks. One tick is needed for lost messages: every input travels
// in several messages, and where keys change the next one comes a tick later (raim_input_pace).
#pragma once

#include "input.h"

#include <stdbool.h>
#include <stdint.h>

#define RAIM_CLOCK_WINDOWS 64 // reports of the server kept at most
#define RAIM_CLOCK_MARKS 32   // offsets of sent inputs kept, one for every 8 ticks

// Ticks of type double are relative to `start_tick`, so they do not wrap.
struct raim_clock {
    bool is_set;
    uint32_t tick_hz;
    uint32_t start_tick; // of the snapshot that set the clock
    uint64_t start_us;   // when that snapshot came
    double round_trip;   // ticks, smoothed as in RFC 6298; 0: unknown

    // The clock is `offset` ticks ahead of a steady one, and slews to `wanted`.
    double offset, wanted;
    uint64_t slews_since_us;
    uint32_t next_tick; // tick of the next input

    // The reported margins minus the offsets in use at the time. A margin at another offset is the
    // sum of that offset and the stored value.
    uint32_t windows_end; // tick at which the newest window ended
    uint32_t window_count;
    float windows[RAIM_CLOCK_WINDOWS]; // ring
    float marks[RAIM_CLOCK_MARKS];     // offsets of sent inputs, by tick / 8 modulo their number
    bool has_pressed;                  // an input was sent since the clock was set
    uint32_t first_tick;               // of the first such input
    uint64_t early_since_us;           // since when inputs seem too early for the server; 0: not
};

// The number of messages that repeat each input, so that a few messages lost or reordered in a row
// cost no input.
uint32_t raim_clock_inputs(uint32_t tick_hz);

// Starts with a clock that is not set. `round_trip_us` is a first estimate, 0 or more.
void raim_clock_init(struct raim_clock *clock, uint32_t tick_hz, uint64_t round_trip_us);

// Takes the tick of a snapshot that has come, and the margin in it (frame.h). The first snapshot
// sets the clock.
void raim_clock_receive(struct raim_clock *clock, uint64_t now_us, uint32_t tick, int32_t margin);

// Takes the tick of a snapshot of a spectator, which holds no margin.
void raim_clock_receive_tick(struct raim_clock *clock, uint64_t now_us, uint32_t tick);

// Whether an input is due.
bool raim_clock_is_input_due(const struct raim_clock *clock, uint64_t now_us);

// Microseconds until an input is due, where the clock is not slewed meanwhile. The clock must be
// set.
uint64_t raim_clock_until_input_us(const struct raim_clock *clock, uint64_t now_us);

// Returns the tick of the input that is due, and moves on to the next one. The clock must be set.
// Where many inputs are due, as after the program was stopped, it skips those that would reach the
// server too late.
uint32_t raim_clock_take_input(struct raim_clock *clock, uint64_t now_us);

// The progress from the tick of the last input, 0, to that of the next one, 1. Stays 1 while the
// next input is late.
double raim_clock_phase(const struct raim_clock *clock, uint64_t now_us);

// Decides with which inputs a player's client sends an INPUT. The server repeats the last input of
// a tick for which none arrives, and an INPUT repeats the inputs of the ticks before it, so an
// input that changes nothing needs no message:
// - Pressed and released keys, and the inputs that may fire a bullet, are sent at once and in each
//   of the next two ticks, so that a single loss delays them by a tick.
// - A changed aim is sent in every second tick. The input in between travels with it.
// - A snapshot or an event is acknowledged at once, except in the tick after another
//   acknowledgement.
// - An INPUT is sent at least ten times a second.

// Zeroed, it has sent nothing.
struct raim_input_pace {
    raim_wire_input last;  // input of the previous tick
    uint32_t sent_tick;    // of the newest INPUT
    uint16_t sent_aim;     // in it
    bool any;              // an INPUT was sent
    bool was_ack;          // it acknowledged something new
    bool has_news;         // a snapshot or an event has not been acknowledged yet
    uint32_t urgent_count; // INPUTs still to be sent in successive ticks
};

// What is known of an input besides its keys and aim.
struct raim_input_circumstances {
    bool may_fire; // a bullet may be fired in its tick
    bool has_news; // a snapshot or an event has come since the input before it
};

// Takes the input of a tick later than all before. Returns whether an INPUT is to be sent with it.
bool raim_input_pace_take(struct raim_input_pace *pace, uint32_t tick_hz, uint32_t tick,
                          const raim_wire_input *input, struct raim_input_circumstances is);
