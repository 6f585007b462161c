// SPDX-License-Identifier: MIT
// Where the match stands, in words. Pure.
#pragma once

#include "client.h"

#include <stdbool.h>

enum { PHASE_WORDS_BYTES = 96 };

// What ends the round: "2:31   to 20 points"; "" where nothing does, or while nobody plays.
void phase_words_clock(const struct raim_client_phase *phase, char words[PHASE_WORDS_BYTES]);

// Above what is said of a lost connection.
const char *phase_words_lost(bool awaits_restart);

// What to say of a break, with the winner's name, or of a pause. False while the match is played.
bool phase_words_banner(const struct raim_client_phase *phase, const char *winner,
                        char title[PHASE_WORDS_BYTES], char text[PHASE_WORDS_BYTES]);
