// SPDX-License-Identifier: MIT
// Writes and reads PINGS.
#include "pings.h"

enum { SLOT_BITS = 10, PING_BITS = 6 };
static_assert(RAIM_WIRE_PLAYERS == 1 << SLOT_BITS, "a slot fits its bits");
static_assert(RAIM_PING_MAX == (1 << PING_BITS) - 1, "a value fits its bits");

uint8_t raim_ping_of_ms(uint32_t ms)
{
    const uint32_t most_ms = (RAIM_PING_MAX - 1) * RAIM_PING_STEP_MS;
    const uint32_t least = ms < most_ms ? ms : most_ms;
    return (uint8_t)(1 + (least + RAIM_PING_STEP_MS / 2) / RAIM_PING_STEP_MS);
}

int32_t raim_ping_to_ms(uint8_t value)
{
    return value == RAIM_PING_UNKNOWN ? -1 : RAIM_PING_STEP_MS * (value - 1);
}

size_t raim_pings_write(const struct raim_pings *pings, uint8_t *bytes, size_t capacity)
{
    assert(pings->first + pings->count <= RAIM_WIRE_PLAYERS);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_PINGS, bytes, capacity);
    raim_write_bits(&writer, pings->epoch, RAIM_EPOCH_BITS);
    raim_write_bits(&writer, pings->first, SLOT_BITS);
    raim_write_ranged(&writer, pings->count, 1, RAIM_PINGS_SLOTS);
    for (uint32_t i = 0; i < pings->count; i++)
        raim_write_bits(&writer, pings->values[i], PING_BITS);
    return raim_writer_finish(&writer);
}

bool raim_pings_read(raim_reader *reader, struct raim_pings *pings)
{
    pings->epoch = raim_read_bits(reader, RAIM_EPOCH_BITS);
    pings->first = raim_read_bits(reader, SLOT_BITS);
    pings->count = raim_read_ranged(reader, 1, RAIM_PINGS_SLOTS);
    for (uint32_t i = 0; i < pings->count && !reader->failed; i++)
        pings->values[i] = (uint8_t)raim_read_bits(reader, PING_BITS);
    return raim_reader_done(reader) && pings->first + pings->count <= RAIM_WIRE_PLAYERS;
}
