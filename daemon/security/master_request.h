// SPDX-License-Identifier: MIT
// Parser of the request by which a master server verifies a heartbeat: "getinfo CHALLENGE" after
// four bytes of 0xFF (dpmaster's techinfo.txt, PROTOCOL). masters.h decides which master is
// answered, and writes the answer. Pure functions, any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MASTER_CHALLENGE_BYTES (64 + 1) // with the closing NUL

// Reads the challenge: 1 to 64 printable characters of ASCII except \ / ; " % and the space. A line
// feed or a NUL after it is ignored. Returns false, with `challenge` undefined, for any other
// datagram.
bool master_request_read(const uint8_t *data, size_t size, char challenge[MASTER_CHALLENGE_BYTES]);
