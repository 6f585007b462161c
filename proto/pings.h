// SPDX-License-Identifier: MIT
// PINGS: the round trips of some players, for the score table. The server sends it only to clients
// whose HELLO has RAIM_CAPABILITY_PINGS, some slots at a time.
#pragma once

#include "message.h"

#define RAIM_PINGS_SLOTS 32 // most slots of a message
#define RAIM_PING_UNKNOWN                                                                          \
    0 // of a free slot, a bot, an away player, and before the first measurement
#define RAIM_PING_STEP_MS 10 // values 1 to RAIM_PING_MAX are 0, 10, 20, ... ms
#define RAIM_PING_MAX 63     // this much or more

struct raim_pings {
    uint32_t epoch; // see message.h
    uint32_t first; // slot of values[0]; first + count is at most RAIM_WIRE_PLAYERS
    uint32_t count; // 1 to RAIM_PINGS_SLOTS
    uint8_t values[RAIM_PINGS_SLOTS];
};

// The value of a round trip: rounded to RAIM_PING_STEP_MS.
uint8_t raim_ping_of_ms(uint32_t ms);

// The round trip in ms; -1 for RAIM_PING_UNKNOWN.
int32_t raim_ping_to_ms(uint8_t value);

// Writes the message and returns its size, or 0 when it does not fit.
size_t raim_pings_write(const struct raim_pings *pings, uint8_t *bytes, size_t capacity);

// Reads the message after its kind. Returns false for a malformed message.
bool raim_pings_read(raim_reader *reader, struct raim_pings *pings);
