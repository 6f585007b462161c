// SPDX-License-Identifier: MIT
// Validates invitations, by which a restarted server asks a client to resume: a valid invitation
// proves to know the session's token and carries a new nonce, so that a repeated one is ignored.
#pragma once

#include "connectionless.h"
#include "message.h"

#include <stdbool.h>
#include <stdint.h>

// Number of nonces kept. A server uses one per start. A client that has seen so many ignores
// further invitations, and notices the next restart by the silence.
#define RAIM_INVITATIONS 16

struct raim_invitations {
    uint32_t count;
    uint8_t nonces[RAIM_INVITATIONS][8];
};

// Whether an invitation is valid and new. Remembers it.
bool raim_invitation_take(struct raim_invitations *invitations, const struct raim_invite *invite,
                          const uint8_t token[RAIM_TOKEN_BYTES]);
