// SPDX-License-Identifier: MIT
// What a round was, for its break: kept while it is played, from what every client is sent. Pure.
#pragma once

#include "scoreboard.h"

#include <stdbool.h>
#include <stdint.h>

// Start from all zero.
struct summary {
    bool ran_out;         // the clock was at its end when the round was last seen
    uint64_t shots, hits; // of the local player, before the round
    uint16_t streaks[RAIM_MAX_PLAYERS], longest[RAIM_MAX_PLAYERS]; // kills in one life, by slot
};

enum { SUMMARY_TEXT_BYTES = 160 };

// Begins a round.
void summary_begin(struct summary *summary, const struct raim_client_stats *stats);

// Counts a kill, and returns how many the shooter has had in this life.
uint32_t summary_add_kill(struct summary *summary, uint32_t shooter, uint32_t victim);

// Forgets the player whose slot somebody else has now.
void summary_forget(struct summary *summary, uint32_t slot);

// Notes what may end the round. Call it while that is played.
void summary_look(struct summary *summary, const struct raim_client_phase *phase);

// Why the round ended, as a sentence with a space after it; "": by a vote or the operator.
void summary_write_reason(const struct summary *summary, const struct scoreboard *scoreboard,
                          char text[SUMMARY_TEXT_BYTES]);

// The place and figures of the local player; "" for a spectator.
void summary_write_own(const struct summary *summary, const struct scoreboard *scoreboard,
                       const struct raim_client_stats *stats, char text[SUMMARY_TEXT_BYTES]);

// Who was best at what; "": nobody hit anybody.
void summary_write_best(const struct summary *summary, const struct scoreboard *scoreboard,
                        char text[SUMMARY_TEXT_BYTES]);
