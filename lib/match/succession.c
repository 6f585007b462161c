// SPDX-License-Identifier: MIT
// Hands everybody of a match over to the one that follows it.
#include "state.h"

void raim_match_succeed(struct raim_match *next, struct raim_match *match, bool keeps_round)
{
    (void)next;
    (void)match;
    (void)keeps_round;
}
