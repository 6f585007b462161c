// SPDX-License-Identifier: MIT
// Where a match stands: playing, between two rounds, or paused. Part of WELCOME, and an event.
#pragma once

#include "bits.h"

enum raim_phase {
    RAIM_PHASE_PLAY,
    RAIM_PHASE_BREAK, // the round is over; like PAUSED: nobody moves, fires or can be hit
    RAIM_PHASE_PAUSED,
    RAIM_PHASES
};

struct raim_wire_phase {
    enum raim_phase phase;
    uint32_t round;       // from 1 on, modulo 2^16. Where it is another than before, all scores and
                          // deaths begin anew at 0
    bool has_end;         // PLAY: the clock ends the round; BREAK: it always does
    uint32_t end_tick;    // then: the tick in which that is
    uint32_t score_limit; // points that end the round, 0: none
    uint32_t winner;      // BREAK: who has most points, by id; 0: nobody alone
};

// Writes a phase as a part of a message; the values must be in range.
void raim_phase_write(raim_writer *writer, const struct raim_wire_phase *phase);

// Reads one. A value that is out of range fails the reader, see bits.h.
void raim_phase_read(raim_reader *reader, struct raim_wire_phase *phase);
