// SPDX-License-Identifier: MIT
// Writes, reads and authenticates announcements.
#include "gateway.h"

#include "crypto.h"

#include <assert.h>
#include <string.h>

enum {
    TAG_BYTES = 16,
    IP_BYTES = 16,
    TIME_AT = RAIM_CONNECTIONLESS_HEAD_BYTES,
    GATEWAY_AT = TIME_AT + 8,
    PLAYER_AT = GATEWAY_AT + IP_BYTES + 2,
    TAG_AT = PLAYER_AT + IP_BYTES + 2,
};

static_assert(TAG_AT + TAG_BYTES == RAIM_ANNOUNCEMENT_BYTES, "an announcement is complete");
static_assert(RAIM_GATEWAY_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES, "keyed BLAKE2b");

static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};

static void write_address(const struct raim_address *address, uint8_t *bytes)
{
    if (address->is_ipv6) {
        memcpy(bytes, address->bytes, IP_BYTES);
    } else {
        memcpy(bytes, mapped, sizeof mapped);
        memcpy(bytes + sizeof mapped, address->bytes, IP_BYTES - sizeof mapped);
    }
    bytes[IP_BYTES] = (uint8_t)address->port;
    bytes[IP_BYTES + 1] = (uint8_t)(address->port >> 8);
}

static struct raim_address read_address(const uint8_t *bytes)
{
    struct raim_address address = {
        .is_ipv6 = memcmp(bytes, mapped, sizeof mapped) != 0,
        .port = (uint16_t)(bytes[IP_BYTES] | bytes[IP_BYTES + 1] << 8),
    };
    if (address.is_ipv6)
        memcpy(address.bytes, bytes, IP_BYTES);
    else
        memcpy(address.bytes, bytes + sizeof mapped, IP_BYTES - sizeof mapped);
    return address;
}

static bool is_player(const struct raim_address *address)
{
    static const uint8_t none[IP_BYTES];
    const bool is_multicast =
        address->is_ipv6 ? address->bytes[0] == 0xFF : address->bytes[0] >= 224;
    return address->port != 0 && !is_multicast && memcmp(address->bytes, none, sizeof none) != 0;
}

static void write_tag(const uint8_t *bytes, const uint8_t *key, uint8_t tag[TAG_BYTES])
{
    uint8_t hash[RAIM_CRYPTO_HASH_BYTES];
    raim_crypto_hash(key, bytes, TAG_AT, NULL, 0, hash);
    memcpy(tag, hash, TAG_BYTES);
}

void raim_announcement_write(const struct raim_announcement *announcement,
                             const uint8_t key[RAIM_GATEWAY_KEY_BYTES],
                             uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES])
{
    assert(is_player(&announcement->player));
    raim_connectionless_write_head(RAIM_CONNECTIONLESS_ANNOUNCEMENT, bytes);
    for (int i = 0; i < 8; i++)
        bytes[TIME_AT + i] = (uint8_t)(announcement->time_us >> 8 * i);
    write_address(&announcement->gateway, bytes + GATEWAY_AT);
    write_address(&announcement->player, bytes + PLAYER_AT);
    write_tag(bytes, key, bytes + TAG_AT);
}

bool raim_announcement_read(const uint8_t *data, size_t size,
                            struct raim_announcement *announcement)
{
    *announcement = (struct raim_announcement){0};
    if (size != RAIM_ANNOUNCEMENT_BYTES)
        return false;
    for (int i = 0; i < 8; i++)
        announcement->time_us |= (uint64_t)data[TIME_AT + i] << 8 * i;
    announcement->gateway = read_address(data + GATEWAY_AT);
    announcement->player = read_address(data + PLAYER_AT);
    return is_player(&announcement->player);
}

bool raim_announcement_verify(const uint8_t data[RAIM_ANNOUNCEMENT_BYTES],
                              const uint8_t key[RAIM_GATEWAY_KEY_BYTES])
{
    uint8_t tag[TAG_BYTES];
    write_tag(data, key, tag);
    return raim_crypto_is_equal(tag, data + TAG_AT, TAG_BYTES);
}
