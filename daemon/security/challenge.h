// SPDX-License-Identifier: MIT
// Stateless challenges that prove a source address, as the cookies of DTLS (RFC 9147, section 5.1)
// and the Retry tokens of QUIC (RFC 9000, section 8.1) do: only a host that receives at the address
// learns the number, and the server stores nothing per client. A challenge is a keyed hash of
// address, port and purpose. The key is derived from a secret and the current epoch; a challenge
// stays valid for at least CHALLENGE_EPOCH_MS and at most twice as long. The secret and the time
// come from the caller.
#pragma once

#include "ip_address.h"

#include <stdbool.h>
#include <stdint.h>

#define CHALLENGE_SECRET_BYTES 32
#define CHALLENGE_KEY_BYTES 16

// An epoch is long enough for a query tool's second request, and too short to guess one of 2^31
// numbers.
#define CHALLENGE_EPOCH_MS 30000

// The purpose is part of the hash: a challenge of one purpose reveals none of another.
enum challenge_purpose {
    CHALLENGE_QUERY,    // repeated in the second request of a query
    CHALLENGE_COOKIE,   // sent with a CONNECT or a handshake's INIT
    CHALLENGE_ADMITTED, // sent with a CONNECT, given in exchange for a valid credential
};

struct challenge {
    uint8_t secret[CHALLENGE_SECRET_BYTES];
    int64_t epoch;                        // of keys[0]; -1: no key derived yet
    uint8_t keys[2][CHALLENGE_KEY_BYTES]; // of the current and the previous epoch
};

// `secret` is random and known only to this process.
void challenge_init(struct challenge *challenge, const uint8_t secret[CHALLENGE_SECRET_BYTES]);

// Computes the challenge of an address and a port; the port may be another than the sender's. The
// result is between 1 and 2^31 - 1, because query tools send 0 and UINT32_MAX before they have a
// challenge, and some bindings of ENet pass it on as a signed number. `now_ms` is not negative.
uint32_t challenge_compute(struct challenge *challenge, enum challenge_purpose purpose,
                           struct udp_address source, int64_t now_ms);

// True for the challenge of the current or the previous epoch.
bool challenge_verify(struct challenge *challenge, enum challenge_purpose purpose,
                      struct udp_address source, uint32_t answer, int64_t now_ms);
