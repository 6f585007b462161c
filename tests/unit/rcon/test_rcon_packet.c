// SPDX-License-Identifier: MIT
// Packets of Source RCON: round trips, and what is no packet.
#include "rcon_packet.h"
#include "test.h"

static enum rcon_outcome read_exactly(const uint8_t *bytes, size_t size, struct rcon_packet *packet)
{
    uint8_t *exact = malloc(size > 0 ? size : 1); // so that ASan detects a read beyond
    memcpy(exact, bytes, size);
    const enum rcon_outcome outcome = rcon_packet_read(exact, size, packet);
    free(exact);
    return outcome;
}

TEST(a_packet_survives_the_wire)
{
    static char body[RCON_BODY_BYTES + 1];
    static uint8_t bytes[RCON_PACKET_BYTES];
    static const size_t sizes[] = {0, 1, 100, RCON_BODY_BYTES};
    struct rcon_packet packet;
    memset(body, 'x', RCON_BODY_BYTES);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t size = rcon_packet_write(bytes, -1, RCON_AUTH, body, sizes[i]);
        assert_int_equal(size, sizes[i] + 14);
        assert_int_equal(rcon_packet_read(bytes, size, &packet), RCON_PACKET);
        assert_int_equal(packet.id, -1);
        assert_int_equal(packet.type, RCON_AUTH);
        assert_int_equal(packet.bytes, size);
        assert_int_equal(strlen(packet.body), sizes[i]);
        for (size_t part = 0; part < size; part += 1 + part / 16)
            assert_int_equal(read_exactly(bytes, part, &packet), RCON_INCOMPLETE);
        bytes[size - 1] = 'x'; // it does not end
        assert_int_equal(read_exactly(bytes, size, &packet), RCON_MALFORMED);
    }
}

TEST(lengths_that_no_packet_has)
{
    static const uint32_t lengths[] = {0, 9, RCON_PACKET_BYTES - 3, UINT32_MAX};
    struct rcon_packet packet;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint8_t bytes[] = {(uint8_t)lengths[i], (uint8_t)(lengths[i] >> 8),
                                 (uint8_t)(lengths[i] >> 16), (uint8_t)(lengths[i] >> 24)};
        assert_int_equal(read_exactly(bytes, sizeof bytes, &packet), RCON_MALFORMED);
    }
}
