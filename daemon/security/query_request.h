// SPDX-License-Identifier: MIT
// Parser of server query requests in Valve's A2S protocol ("Server queries" in Valve's developer
// wiki), and writer of the challenge reply. query.h writes the other replies. Integers are
// little-endian. Pure functions, any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Bytes of the challenge reply: as large as the smallest request, so that it amplifies nothing.
#define QUERY_CHALLENGE_REPLY 9

// The challenge field of a request that has no challenge yet.
#define QUERY_NO_CHALLENGE UINT32_MAX

// QUERY_GETINFO is a master server's, see master_request.h.
enum query_kind {
    QUERY_NONE,
    QUERY_INFO,
    QUERY_PLAYERS,
    QUERY_RULES,
    QUERY_KINDS,
    QUERY_GETINFO = QUERY_KINDS
};

struct query {
    enum query_kind kind; // QUERY_NONE: not a query
    uint32_t challenge;   // QUERY_NO_CHALLENGE: none
};

// Parses a datagram. Ignores bytes after the request, which are padding.
struct query query_read(const uint8_t *data, size_t size);

// Writes the challenge reply and returns its size.
size_t query_write_challenge(uint32_t challenge, uint8_t reply[QUERY_CHALLENGE_REPLY]);
