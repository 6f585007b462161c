// SPDX-License-Identifier: MIT
// The phase of the match in words, for the screen. Pure.
#pragma once

#include "client.h"

#include <stdbool.h>

enum { PHASE_TEXT_BYTES = 96 };

// What ends the round, such as "2:31   to 20 points"; "" where nothing does, and in breaks and
// pauses.
void phase_text_clock(const struct raim_client_phase *phase, char words[PHASE_TEXT_BYTES]);

// The title of the notice about a lost connection.
const char *phase_text_lost(bool awaits_restart);

// The text for a break, with the winner's name and the next map's ("": the map stays), or for a
// pause. False while the match is played.
bool phase_text_banner(const struct raim_client_phase *phase, const char *winner,
                       const char *next_map, char title[PHASE_TEXT_BYTES],
                       char text[PHASE_TEXT_BYTES]);
