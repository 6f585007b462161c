// SPDX-License-Identifier: MIT
// What strangers send to ask about a server: the requests of Valve's A2S ("Server queries" in its
// developer wiki), and the challenge that is the answer to the first. query.h has the replies. Pure
// bytes, no state. Integers are little-endian.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The reply to who has not met the challenge: as large as the smallest request.
#define QUERY_CHALLENGE_REPLY 9

// What a request says in place of a challenge that it does not have yet.
#define QUERY_NO_CHALLENGE UINT32_MAX

enum query_kind { QUERY_NONE, QUERY_INFO, QUERY_PLAYERS, QUERY_RULES, QUERY_KINDS };

struct query {
    enum query_kind kind; // QUERY_NONE: no query at all
    uint32_t challenge;   // QUERY_NO_CHALLENGE where there is none
};

// Reads a datagram. What follows a request is padding and of no interest.
struct query query_read(const uint8_t *data, size_t size);

// Writes the reply and returns its size.
size_t query_write_challenge(uint32_t challenge, uint8_t reply[QUERY_CHALLENGE_REPLY]);
