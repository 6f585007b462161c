// SPDX-License-Identifier: MIT
// What an admin's key signs to log in, where the server's NOTICE is a challenge.
#pragma once

#include "message.h"

#define RAIM_CHALLENGE_BYTES 32 // of a challenge, whose text is base64url of it
#define RAIM_STATEMENT_BYTES (16 + RAIM_KEY_BYTES + RAIM_CHALLENGE_BYTES)

// What an admin's key signs to log in: a label, the public key that the server has in the
// handshake of this connection, and the challenge.
void raim_notice_statement(const uint8_t server_key[RAIM_KEY_BYTES],
                           const uint8_t challenge[RAIM_CHALLENGE_BYTES],
                           uint8_t statement[RAIM_STATEMENT_BYTES]);
