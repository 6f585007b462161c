// SPDX-License-Identifier: MIT
// Packets of Valve's Source RCON Protocol: a length, an id, a type, and a body that ends in two
// zero bytes; numbers are little-endian. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    RCON_RESPONSE = 0,      // SERVERDATA_RESPONSE_VALUE
    RCON_COMMAND = 2,       // SERVERDATA_EXECCOMMAND, of a client
    RCON_AUTH_RESPONSE = 2, // SERVERDATA_AUTH_RESPONSE, of a server
    RCON_AUTH = 3,          // SERVERDATA_AUTH
};

#define RCON_PACKET_BYTES 4100 // at most, with the length itself
#define RCON_BODY_BYTES 4086   // at most

enum rcon_outcome {
    RCON_INCOMPLETE, // more bytes are needed
    RCON_PACKET,
    RCON_MALFORMED,
};

struct rcon_packet {
    int32_t id, type;
    const char *body; // in the bytes that were read; ends with a zero byte
    size_t bytes;     // of the whole packet
};

// Reads the packet at the beginning of some bytes.
enum rcon_outcome rcon_packet_read(const uint8_t *bytes, size_t size, struct rcon_packet *packet);

// Writes a packet with a body of `body_bytes`, at most RCON_BODY_BYTES, and returns its size.
// `bytes` has room for RCON_PACKET_BYTES.
size_t rcon_packet_write(uint8_t *bytes, int32_t id, int32_t type, const char *body,
                         size_t body_bytes);
