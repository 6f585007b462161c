// SPDX-License-Identifier: MIT
// Announcements: a change of any byte or of the key is noticed, and the reader takes no player whom
// nobody could be.
#include "gateway.h"
#include "test.h"

static const uint8_t key[RAIM_GATEWAY_KEY_BYTES] = {1, 2, 3};

static void write(uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES])
{
    const struct raim_announcement announcement = {
        .time_us = UINT64_C(0x0123456789ABCDEF),
        .gateway = {.bytes = {127, 0, 0, 1}, .port = 40000},
        .player = {.is_ipv6 = true, .bytes = {0x20, 1, 0x0D, 0xB8, [15] = 7}, .port = 50000},
    };
    raim_announcement_write(&announcement, key, bytes);
}

TEST(no_byte_can_be_changed)
{
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES];
    write(bytes);
    assert_true(raim_announcement_verify(bytes, key));
    for (size_t i = 0; i < 8 * sizeof bytes; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_false(raim_announcement_verify(bytes, key));
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    assert_true(raim_announcement_verify(bytes, key));
}

TEST(another_key_does_not_verify)
{
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES], other[RAIM_GATEWAY_KEY_BYTES];
    write(bytes);
    for (size_t i = 0; i < sizeof other; i++) {
        memcpy(other, key, sizeof other);
        other[i] ^= 0x80;
        assert_false(raim_announcement_verify(bytes, other));
    }
}

TEST(a_wrong_size_is_rejected)
{
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES + 1] = {0};
    struct raim_announcement announcement;
    write(bytes);
    for (size_t size = 0; size <= sizeof bytes; size++)
        assert_int_equal(raim_announcement_read(bytes, size, &announcement),
                         size == RAIM_ANNOUNCEMENT_BYTES);
}

TEST(a_player_who_cannot_be_is_rejected)
{
    enum { PLAYER = 36, PORT = PLAYER + 16 };
    static const uint8_t v4[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 224, 0, 0, 1};
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES];
    struct raim_announcement announcement;
    write(bytes);
    memset(bytes + PORT, 0, 2);
    assert_false(raim_announcement_read(bytes, sizeof bytes, &announcement));
    write(bytes);
    bytes[PLAYER] = 0xFF; // multicast
    assert_false(raim_announcement_read(bytes, sizeof bytes, &announcement));
    write(bytes);
    memset(bytes + PLAYER, 0, 16);
    assert_false(raim_announcement_read(bytes, sizeof bytes, &announcement));
    write(bytes);
    memcpy(bytes + PLAYER, v4, sizeof v4);
    assert_false(raim_announcement_read(bytes, sizeof bytes, &announcement));
    bytes[PLAYER + 12] = 0; // 0.0.0.1 is no host of the Internet, but harmless
    assert_true(raim_announcement_read(bytes, sizeof bytes, &announcement));
    bytes[PLAYER + 15] = 0;
    assert_false(raim_announcement_read(bytes, sizeof bytes, &announcement));
}
