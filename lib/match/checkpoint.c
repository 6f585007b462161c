// SPDX-License-Identifier: MIT
// A match as bytes, and back.
#include "state.h"

size_t raim_match_checkpoint_size(const struct raim_match *match)
{
    (void)match;
    return 0;
}

void raim_match_save(const struct raim_match *match, void *bytes)
{
    (void)match;
    (void)bytes;
}

bool raim_match_restore(struct raim_match *match, const void *bytes, size_t size)
{
    (void)match;
    (void)bytes;
    (void)size;
    return false;
}

void raim_match_suspend(struct raim_match *match)
{
    raim_match_shutdown(match);
}
