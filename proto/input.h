// SPDX-License-Identifier: MIT
// INPUT: a player's inputs by tick, sent redundantly so that a lost packet loses none, and the
// acknowledgements of the newest snapshot and of the events.
#pragma once

#include "message.h"

#define RAIM_MAX_INPUTS 8 // of one message

typedef struct raim_wire_input {
    int8_t move_x, move_y; // -1, 0 or 1
    bool fire;
    uint8_t view_age; // with `fire`, else 0: ticks by which the others were shown behind the
                      // input's tick, up to RAIM_WIRE_REWIND; what is beyond is cut
    uint16_t aim;     // binary angle
} raim_wire_input;

struct raim_input_message {
    uint32_t tick;     // of inputs[0]; inputs[i] is for tick - i
    bool has_snapshot; // whether any snapshot has arrived
    uint32_t snapshot; // tick of the newest one; written only if it is less than 2^15 from `tick`
    uint16_t events;   // low bits of the number of the first event that has not arrived
    uint32_t count;    // 1 to RAIM_MAX_INPUTS
    raim_wire_input inputs[RAIM_MAX_INPUTS];
};

// Writes the message and returns its size, or 0 when it does not fit. The reader starts behind the
// kind and returns false for a malformed message.
size_t raim_input_write(const struct raim_input_message *message, uint8_t *bytes, size_t capacity);
bool raim_input_read(raim_reader *reader, struct raim_input_message *message);
