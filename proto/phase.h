// SPDX-License-Identifier: MIT
// The phase of a match: play, break between two rounds, or pause. It is a part of WELCOME and an
// event.
#pragma once

#include "bits.h"
#include "wire_limits.h"

enum raim_phase {
    RAIM_PHASE_PLAY,
    RAIM_PHASE_BREAK, // the round is over; no player moves, fires or can be hit
    RAIM_PHASE_PAUSED,
    RAIM_PHASES
};

struct raim_wire_phase {
    enum raim_phase phase;
    uint32_t round;       // from 1 on, modulo 2^16. Where it is another than before, all scores and
                          // deaths begin again at 0
    bool has_end;         // PLAY: the clock ends the round; BREAK: it always does
    uint32_t end_tick;    // with has_end: the tick of the end
    uint32_t score_limit; // points that end the round, 0: none
    uint32_t winner;      // BREAK: id of the player with most points; 0: a draw
    char next_map[RAIM_MAX_TITLE_BYTES + 1]; // BREAK: of the next round; "": the map stays
};

// Writes a phase as a part of a message; the values must be in range.
void raim_phase_write(raim_writer *writer, const struct raim_wire_phase *phase);

// Reads one. A value that is out of range fails the reader, see bits.h.
void raim_phase_read(raim_reader *reader, struct raim_wire_phase *phase);
