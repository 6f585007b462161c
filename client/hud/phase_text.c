// SPDX-License-Identifier: MIT
// Writes the phase of the match in words.
#include "phase_text.h"

#include <math.h>
#include <stdio.h>

void phase_text_clock(const struct raim_client_phase *phase, char words[PHASE_TEXT_BYTES])
{
    const uint32_t left_s = (uint32_t)ceil(phase->left_s);
    const char *points = phase->score_limit == 1 ? "point" : "points";
    words[0] = '\0';
    if (phase->kind != RAIM_CLIENT_PLAY)
        return;
    int length = 0;
    if (phase->has_end)
        length = snprintf(words, PHASE_TEXT_BYTES, "%u:%02u", left_s / 60, left_s % 60);
    if (phase->score_limit > 0)
        snprintf(words + length, (size_t)(PHASE_TEXT_BYTES - length), "%sto %u %s",
                 phase->has_end ? "   " : "", phase->score_limit, points);
}

const char *phase_text_lost(bool awaits_restart)
{
    return awaits_restart ? "The server is restarting" : "Connection lost";
}

bool phase_text_banner(const struct raim_client_phase *phase, const char *winner,
                       const char *next_map, char title[PHASE_TEXT_BYTES],
                       char text[PHASE_TEXT_BYTES])
{
    switch (phase->kind) {
    case RAIM_CLIENT_BREAK:
        if (phase->winner == RAIM_NOBODY)
            snprintf(title, PHASE_TEXT_BYTES, "Round %u is a draw", phase->round);
        else
            snprintf(title, PHASE_TEXT_BYTES, "%s wins round %u", winner, phase->round);
        if (next_map[0] == '\0')
            snprintf(text, PHASE_TEXT_BYTES, "The next round begins in %.0f s",
                     ceil(phase->left_s));
        else
            snprintf(text, PHASE_TEXT_BYTES, "Next: %s   in %.0f s", next_map, ceil(phase->left_s));
        return true;
    case RAIM_CLIENT_PAUSED:
        snprintf(title, PHASE_TEXT_BYTES, "Paused");
        snprintf(text, PHASE_TEXT_BYTES, "The operator has paused the match");
        return true;
    case RAIM_CLIENT_PLAY:
        return false;
    }
    return false;
}
