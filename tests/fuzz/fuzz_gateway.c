// SPDX-License-Identifier: MIT
// Fuzzes announcements of gateways, in a table that is soon full: a socket is translated to the
// player of its newest valid announcement or not at all, and back to itself.
#include "fuzz.h"

#include "gateways.h"

#include <string.h>

enum { SOCKETS = 200, PEERS = 1 };

static const uint8_t key[RAIM_GATEWAY_KEY_BYTES] = {1};

struct player {
    struct raim_address address;
    uint64_t time_us;
    int64_t announced_ms;
    bool is_known;
};

static struct udp_address socket_of(uint32_t number)
{
    return udp_address_v4(0x7F000001, (uint16_t)(1 + number));
}

// A valid announcement, in which bytes are changed.
static size_t make(struct fuzz_input *script, uint32_t number, uint64_t now_us, uint8_t *bytes,
                   struct player *player)
{
    player->address = (struct raim_address){
        .bytes = {10, fuzz_byte(script), fuzz_byte(script) & 3, 1}, .port = 5};
    player->time_us = now_us + fuzz_byte(script) * 500000ULL - 64000000;
    const struct raim_announcement announcement = {
        .time_us = player->time_us,
        .gateway = {.bytes = {127, 0, 0, 1}, .port = (uint16_t)(1 + number)},
        .player = player->address,
    };
    raim_announcement_write(&announcement, key, bytes);
    return RAIM_ANNOUNCEMENT_BYTES;
}

static void check(const struct gateways *gateways, uint32_t number, const struct player *player,
                  int64_t now_ms)
{
    struct udp_address from = socket_of(number);
    gateways_translate(gateways, &from, now_ms);
    if (from.via == 0) {
        assert(udp_address_equal(from, socket_of(number)));
        return;
    }
    assert(player->is_known && now_ms - player->announced_ms < RAIM_ANNOUNCEMENT_LIFETIME_MS);
    const uint8_t *ip = player->address.bytes;
    assert(from.port == player->address.port && from.scope == 0);
    assert(ip_address_equal(from.ip, ip_address_v4((uint32_t)ip[0] << 24 | (uint32_t)ip[1] << 16 |
                                                   (uint32_t)ip[2] << 8 | ip[3])));
    assert(gateways_resolve(gateways, &from) && udp_address_equal(from, socket_of(number)));
}

// A script of: the socket, milliseconds, what; then what that reads.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct player players[SOCKETS];
    struct fuzz_input script = {data, size};
    const struct secure_limits limits = {.of_address = 2, .of_network = 4};
    uint64_t now_us = UINT64_C(1800000000) * 1000000;
    int64_t now_ms = 0;
    struct gateways *gateways = gateways_create(PEERS, key, 1);
    assert(gateways != NULL);
    memset(players, 0, sizeof players);
    while (script.left > 0) {
        const uint32_t number = fuzz_byte(&script) % SOCKETS;
        const uint32_t elapsed_ms = 4 * fuzz_byte(&script), what = fuzz_byte(&script);
        uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES + 1] = {0};
        struct player player = {0};
        now_ms += elapsed_ms;
        now_us += 1000 * elapsed_ms;
        if (what % 8 == 7) { // one connection at most
            struct udp_address peer = socket_of(number);
            gateways_translate(gateways, &peer, now_ms);
            gateways_sweep(gateways);
            gateways_keep(gateways, peer);
            continue;
        }
        size_t length = make(&script, number, now_us, bytes, &player);
        const bool is_changed = what % 8 == 0;
        if (is_changed)
            bytes[fuzz_byte(&script) % length] ^= (uint8_t)(1 + fuzz_byte(&script) % 255);
        if (what % 8 == 1)
            length = fuzz_byte(&script) % sizeof bytes;
        uint8_t *datagram = fuzz_copy(bytes, length);
        const enum datagram_verdict verdict = gateways_announce(
            gateways, socket_of(number), datagram, length, limits, now_us, now_ms);
        free(datagram);
        if (verdict == DATAGRAM_OK) {
            assert(!is_changed && length == RAIM_ANNOUNCEMENT_BYTES);
            assert(!players[number].is_known || players[number].time_us != player.time_us);
            player.announced_ms = now_ms;
            player.is_known = true;
            players[number] = player;
        }
        check(gateways, number, &players[number], now_ms);
    }
    for (uint32_t i = 0; i < SOCKETS; i++)
        check(gateways, i, &players[i], now_ms);
    gateways_destroy(gateways);
    return 0;
}
