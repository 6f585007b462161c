// SPDX-License-Identifier: MIT
// Names of rejections for the status.
#include "rejection.h"

#include <assert.h>

static const char *const names[RAIM_REJECTIONS] = {
    [RAIM_REJECTED_MALFORMED] = "malformed",
    [RAIM_REJECTED_UNEXPECTED] = "unexpected",
    [RAIM_REJECTED_VERSION] = "version",
    [RAIM_REJECTED_NAME] = "name",
    [RAIM_REJECTED_FULL] = "full",
    [RAIM_REJECTED_SILENT] = "silent",
    [RAIM_REJECTED_INPUT_LATE] = "input_late",
    [RAIM_REJECTED_INPUT_EARLY] = "input_early",
    [RAIM_REJECTED_ACK] = "ack",
    [RAIM_REJECTED_CHAT] = "chat",
    [RAIM_REJECTED_MUTED] = "muted",
    [RAIM_REJECTED_DRAINING] = "draining",
    [RAIM_REJECTED_BANNED] = "banned",
    [RAIM_REJECTED_ACCESS] = "access",
    [RAIM_REJECTED_GOODBYE] = "goodbye",
    [RAIM_REJECTED_VOTE] = "vote",
    [RAIM_REJECTED_PASSWORD] = "password",
    [RAIM_REJECTED_COMMAND] = "chat_commands",
};

const char *raim_rejection_name(enum raim_rejection rejection)
{
    assert(rejection < RAIM_REJECTIONS);
    return names[rejection];
}
