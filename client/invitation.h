// SPDX-License-Identifier: MIT
// Whether an invitation to come back is the server's: who made it knows the session's token.
#pragma once

#include "knock.h"
#include "message.h"

#include <stdbool.h>
#include <stdint.h>

bool raim_invitation_is_right(const struct raim_invite *invite,
                              const uint8_t token[RAIM_TOKEN_BYTES]);
