// SPDX-License-Identifier: MIT
// Reads and writes packets.
#include "rcon_packet.h"

#include <assert.h>
#include <string.h>

enum {
    LENGTH_BYTES = 4,
    HEAD_BYTES = 12, // length, id and type
    END_BYTES = 2,
    MIN_LENGTH = HEAD_BYTES - LENGTH_BYTES + END_BYTES,
    MAX_LENGTH = RCON_PACKET_BYTES - LENGTH_BYTES,
};

static_assert(MIN_LENGTH + RCON_BODY_BYTES == MAX_LENGTH, "the largest body fits");

static uint32_t read_number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void write_number(uint8_t *bytes, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
}

enum rcon_outcome rcon_packet_read(const uint8_t *bytes, size_t size, struct rcon_packet *packet)
{
    if (size < LENGTH_BYTES)
        return RCON_INCOMPLETE;
    const uint32_t length = read_number(bytes);
    if (length < MIN_LENGTH || length > MAX_LENGTH)
        return RCON_MALFORMED;
    if (size < LENGTH_BYTES + length)
        return RCON_INCOMPLETE;
    *packet = (struct rcon_packet){
        .id = (int32_t)read_number(bytes + LENGTH_BYTES),
        .type = (int32_t)read_number(bytes + LENGTH_BYTES + 4),
        .body = (const char *)bytes + HEAD_BYTES,
        .bytes = LENGTH_BYTES + length,
    };
    return bytes[packet->bytes - 1] == 0 ? RCON_PACKET : RCON_MALFORMED;
}

size_t rcon_packet_write(uint8_t *bytes, int32_t id, int32_t type, const char *body,
                         size_t body_bytes)
{
    assert(body_bytes <= RCON_BODY_BYTES);
    write_number(bytes, (uint32_t)(MIN_LENGTH + body_bytes));
    write_number(bytes + LENGTH_BYTES, (uint32_t)id);
    write_number(bytes + LENGTH_BYTES + 4, (uint32_t)type);
    memcpy(bytes + HEAD_BYTES, body, body_bytes);
    memset(bytes + HEAD_BYTES + body_bytes, 0, END_BYTES);
    return HEAD_BYTES + body_bytes + END_BYTES;
}
