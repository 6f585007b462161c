// SPDX-License-Identifier: MIT
// The phase of a match: play, break between two rounds, or pause. It is a part of WELCOME and an
// event.
#pragma once

#include "fields.h"
#include "wire_limits.h"

enum raim_phase {
    RAIM_PHASE_PLAY,
    RAIM_PHASE_BREAK, // the round is over; no player moves, fires or can be hit
    RAIM_PHASE_PAUSED,
    RAIM_PHASES
};

// round: from 1 on, modulo 2^16; where it is another than before, all scores and deaths begin again
// at 0. has_end: the clock ends the round; a break it always ends. score_limit: points that end the
// round, 0: none. winner: id of the player with most points, 0: a draw. next_map: "": the map
// stays.
#define RAIM_PHASE_FIELDS(FIELD)                                                                   \
    FIELD(RANGED, phase, 0, RAIM_PHASES - 1) /* enum raim_phase */                                 \
    FIELD(U, round, 16)                                                                            \
    FIELD(BOOL, has_end, 1)                                                                        \
    FIELD(IF, message->has_end, FIELD(U, end_tick, 32))                                            \
    FIELD(COUNT, score_limit, 32)                                                                  \
    FIELD(IF, message->phase == RAIM_PHASE_BREAK, FIELD(PLAYER, winner, RAIM_PLAYER_ID_BITS))      \
    FIELD(IF, message->phase == RAIM_PHASE_BREAK, FIELD(TEXT, next_map, RAIM_MAX_TITLE_BYTES))

struct raim_wire_phase {
    RAIM_PHASE_FIELDS(RAIM_MEMBER)
};

// Writes a phase as a part of a message; the values must be in range.
void raim_phase_write(raim_writer *writer, const struct raim_wire_phase *phase);

// Reads one. A value that is out of range fails the reader, see bits.h.
void raim_phase_read(raim_reader *reader, struct raim_wire_phase *phase);
