// SPDX-License-Identifier: MIT
// Decides with which inputs a player's client sends an INPUT. The server repeats the last input of
// a tick for which none arrives, and an INPUT repeats the inputs of the ticks before it, so an
// input that changes nothing needs no message:
// - Pressed and released keys, and the inputs that may fire a bullet, are sent at once and in each
//   of the next two ticks, so that a single loss delays them by a tick.
// - A changed aim is sent in every second tick. The input in between travels with it.
// - A snapshot or an event is acknowledged at once, except in the tick after another
//   acknowledgement.
// - An INPUT is sent at least ten times a second.
#pragma once

#include "input.h"

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
