// SPDX-License-Identifier: MIT
// Names of refusals for the status.
#include "refusal.h"

#include <assert.h>

static const char *const names[RAIM_REFUSALS] = {
    [RAIM_REFUSED_MALFORMED] = "malformed",
    [RAIM_REFUSED_UNEXPECTED] = "unexpected",
    [RAIM_REFUSED_VERSION] = "version",
    [RAIM_REFUSED_NAME] = "name",
    [RAIM_REFUSED_FULL] = "full",
    [RAIM_REFUSED_SILENT] = "silent",
    [RAIM_REFUSED_INPUT_LATE] = "input_late",
    [RAIM_REFUSED_INPUT_EARLY] = "input_early",
    [RAIM_REFUSED_ACK] = "ack",
    [RAIM_REFUSED_CHAT] = "chat",
    [RAIM_REFUSED_MUTED] = "muted",
    [RAIM_REFUSED_DRAINING] = "draining",
    [RAIM_REFUSED_BANNED] = "banned",
    [RAIM_REFUSED_ACCESS] = "access",
    [RAIM_REFUSED_GOODBYE] = "goodbye",
    [RAIM_REFUSED_VOTE] = "vote",
    [RAIM_REFUSED_PASSWORD] = "password",
    [RAIM_REFUSED_COMMAND] = "chat_commands",
};

const char *raim_refusal_name(enum raim_refusal refusal)
{
    assert(refusal < RAIM_REFUSALS);
    return names[refusal];
}
