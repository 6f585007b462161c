// SPDX-License-Identifier: MIT
// Judges invitations to resume a session: right are those of whoever knows the session's token, and
// each counts once, however often somebody on the way repeats it.
#pragma once

#include "connectionless.h"
#include "message.h"

#include <stdbool.h>
#include <stdint.h>

// Nonces that are remembered. A server has one for each of its starts; a client that has seen more
// heeds no invitation any more, and notices the next restart by the silence.
#define RAIM_INVITATIONS 16

struct raim_invitations {
    uint32_t count;
    uint8_t nonces[RAIM_INVITATIONS][8];
};

// Whether an invitation is right and new; it is not new afterwards.
bool raim_invitation_take(struct raim_invitations *invitations, const struct raim_invite *invite,
                          const uint8_t token[RAIM_TOKEN_BYTES]);
