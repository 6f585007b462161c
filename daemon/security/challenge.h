// SPDX-License-Identifier: MIT
// Challenges for those who ask without a connection: a number that only who receives at an address
// can know, remembered by nobody. It is a keyed hash of address, port and what it is for; the key
// is derived from a secret and the time, and a challenge is good for CHALLENGE_EPOCH_MS at least
// and twice that at most. The secret and the time come from the caller.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CHALLENGE_SECRET_BYTES 32
#define CHALLENGE_KEY_BYTES 16

// Long enough for every tool's next question, too short to guess 1 in 2^31.
#define CHALLENGE_EPOCH_MS 30000

// What a challenge is for: that of one purpose says nothing of that of another.
enum challenge_purpose {
    CHALLENGE_QUERY,    // to be asked again with
    CHALLENGE_COOKIE,   // to connect or begin a handshake with
    CHALLENGE_ADMITTED, // to connect with after a good credential
};

struct challenge {
    uint8_t secret[CHALLENGE_SECRET_BYTES];
    int64_t epoch;                        // whose key is the first; -1: none yet
    uint8_t keys[2][CHALLENGE_KEY_BYTES]; // of this epoch, of the one before
};

// `secret`: random bytes that nobody outside knows.
void challenge_init(struct challenge *challenge, const uint8_t secret[CHALLENGE_SECRET_BYTES]);

// The challenge of an IPv4 address and UDP port, in any byte order as long as it is one. Between 1
// and 2^31 - 1: tools send 0 and UINT32_MAX before they have one, and bindings of ENet pass it on
// as a signed number. `now_ms` is not negative.
uint32_t challenge_compute(struct challenge *challenge, enum challenge_purpose purpose,
                           uint32_t address, uint16_t port, int64_t now_ms);

// True for the challenge of this epoch or the one before.
bool challenge_verify(struct challenge *challenge, enum challenge_purpose purpose, uint32_t address,
                      uint16_t port, uint32_t answer, int64_t now_ms);
