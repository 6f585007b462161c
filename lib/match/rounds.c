// SPDX-License-Identifier: MIT
// Rounds: their clock, their end, the break after them, and pauses.
#include "state.h"

void raim_match_tune(struct raim_match *match, const struct raim_match_tuning *tuning)
{
    (void)match;
    (void)tuning;
}

void raim_match_pause(struct raim_match *match, bool paused)
{
    (void)match;
    (void)paused;
}

bool raim_match_is_turning(const struct raim_match *match)
{
    (void)match;
    return false;
}

struct raim_match_round raim_match_round(const struct raim_match *match)
{
    (void)match;
    return (struct raim_match_round){.round = 1};
}
