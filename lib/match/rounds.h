// SPDX-License-Identifier: MIT
// Rounds, breaks and pauses of a match.
#pragma once

#include "message.h"

#include <stdbool.h>
#include <stdint.h>

struct raim_match;

// State of the rounds. It is plain data without padding, because checkpoints store its bytes.
struct raim_rounds {
    int64_t start_ms;      // of the round, see raim_match_set_round_start; 0: not set
    uint32_t round;        // from 1 on
    uint32_t left_ticks;   // until the clock ends the round or the break
    uint32_t score_limit;  // points that end this round, 0: none
    uint32_t winner;       // of a break, by id; RAIM_NOBODY: a draw
    uint32_t played_ticks; // of the round
    uint8_t phase;         // enum raim_phase: PLAY or BREAK, also while paused
    uint8_t paused;        // 0, or RAIM_PAUSED_BY_...
    uint8_t has_end;       // 1: the clock ends the phase
    uint8_t sent_phase;    // enum raim_phase of the last phase event
};

// Values of raim_rounds.paused.
enum { RAIM_PAUSED_BY_OPERATOR = 1, RAIM_PAUSED_BY_VOTE };

// The maximum number of phase events of a step: a round or a pause begins or ends, and the round
// ends within the step.
#define RAIM_ROUNDS_EVENTS 2

// Begins the first round of a new match.
void raim_rounds_begin(struct raim_match *match);

// Whether a match can have written these rounds into a checkpoint.
bool raim_rounds_are_sound(const struct raim_rounds *rounds);

// Starts the clock of a round that waits for its first player. Call it before a client joins.
void raim_rounds_note_join(struct raim_match *match);

// Pauses the round, or ends the pause with 0.
void raim_rounds_set_paused(struct raim_rounds *rounds, uint32_t by);

// Extends a round that has a time limit.
void raim_rounds_extend(struct raim_match *match, uint32_t ticks);

// Marks the present phase as sent, because every client will receive it in a WELCOME.
void raim_rounds_mark_phase_sent(struct raim_match *match);

// True in breaks and pauses, when no player moves, fires or is hit.
bool raim_rounds_is_frozen(const struct raim_rounds *rounds);

// The phase in the form of WELCOME and events.
struct raim_wire_phase raim_rounds_phase(const struct raim_match *match);

// Call the first function before the world's step: it begins the next round when the break is over.
// Call the second one after it: it ends the round when its time or score limit is reached.
void raim_rounds_begin_step(struct raim_match *match);
void raim_rounds_end_step(struct raim_match *match);
