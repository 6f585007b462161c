// SPDX-License-Identifier: MIT
// The table of players behind gateways: what an announcement changes, which ones change nothing,
// and whose entries make room when the table is full.
#include "chance.h"
#include "gateways.h"
#include "test.h"

enum { PEERS = 8, CAPACITY = 2 * PEERS + 64, LATER = RAIM_ANNOUNCEMENT_LIFETIME_MS };

static const uint64_t now_us = UINT64_C(1800000000) * 1000000;
static const struct secure_limits limits = {.of_address = 2, .of_network = 4};
static const uint8_t key[RAIM_GATEWAY_KEY_BYTES] = {1};
static struct gateways *gateways;

static int set_up(void **state)
{
    (void)state;
    gateways = gateways_create(PEERS, key, raim_random_next(&chance));
    return gateways != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gateways_destroy(gateways);
    return 0;
}

static struct raim_address v4(uint32_t ip, uint16_t port)
{
    return (struct raim_address){
        .bytes = {(uint8_t)(ip >> 24), (uint8_t)(ip >> 16), (uint8_t)(ip >> 8), (uint8_t)ip},
        .port = port};
}

// The gateway's socket of a port.
static struct udp_address socket_of(uint16_t port)
{
    return udp_address_v4(0x7F000001, port);
}

static enum datagram_verdict announce_as(const uint8_t *own_key, uint16_t port, uint32_t ip,
                                         int64_t offset_us, int64_t now_ms)
{
    const struct raim_announcement announcement = {
        .time_us = now_us + (uint64_t)offset_us,
        .gateway = v4(0x7F000001, port),
        .player = v4(ip, 5000),
    };
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES];
    raim_announcement_write(&announcement, own_key, bytes);
    return gateways_announce(gateways, socket_of(port), bytes, sizeof bytes, limits, now_us,
                             now_ms);
}

// Of a socket's ms-th millisecond.
static void announce(uint16_t port, uint32_t ip, int64_t now_ms)
{
    assert_int_equal(announce_as(key, port, ip, now_ms, now_ms), DATAGRAM_OK);
}

static struct udp_address seen(uint16_t port, int64_t now_ms)
{
    struct udp_address from = socket_of(port);
    gateways_translate(gateways, &from, now_ms);
    return from;
}

static bool is_announced(uint16_t port, int64_t now_ms)
{
    return seen(port, now_ms).via != 0;
}

TEST(a_socket_is_its_players_until_it_falls_silent, set_up, tear_down)
{
    assert_true(udp_address_equal(seen(1, 0), socket_of(1)));
    announce(1, 0xCB007101, 0);
    struct udp_address player = seen(1, LATER - 1);
    assert_true(ip_address_equal(player.ip, ip_address_v4(0xCB007101)));
    assert_int_equal(player.port, 5000);
    assert_false(udp_address_equal(player, udp_address_v4(0xCB007101, 5000))); // without a gateway
    player.local = ip_address_v4(7);
    assert_true(gateways_resolve(gateways, &player));
    assert_true(udp_address_equal(player, socket_of(1)));
    assert_true(ip_address_equal(player.local, ip_address_v4(7)));
    assert_false(is_announced(1, LATER));
    assert_false(is_announced(2, 0));
    announce(1, 0xCB007101, LATER);
    assert_true(is_announced(1, LATER));
}

TEST(ipv6_is_told, set_up, tear_down)
{
    const struct raim_announcement announcement = {
        .time_us = now_us,
        .gateway = {.is_ipv6 = true, .bytes = {0xFE, 0x80, [15] = 1}, .port = 9},
        .player = {.is_ipv6 = true, .bytes = {0x20, 1, 0x0D, 0xB8, [15] = 7}, .port = 10},
    };
    // The interface of a link-local address is the server's own matter.
    const struct udp_address socket = {.ip = {UINT64_C(0xFE80) << 48, 1}, .scope = 3, .port = 9};
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES];
    raim_announcement_write(&announcement, key, bytes);
    assert_int_equal(gateways_announce(gateways, socket, bytes, sizeof bytes, limits, now_us, 0),
                     DATAGRAM_OK);
    struct udp_address player = socket;
    gateways_translate(gateways, &player, 0);
    assert_true(player.ip.high == UINT64_C(0x20010DB8) << 32 && player.ip.low == 7);
    assert_int_equal(player.scope, 0);
    assert_int_equal(player.port, 10);
    assert_true(gateways_resolve(gateways, &player));
    assert_true(udp_address_equal(player, socket));
}

TEST(a_socket_that_passes_on_takes_nothing_of_its_last_player_along, set_up, tear_down)
{
    announce(1, 0xCB007101, 0);
    struct udp_address before = seen(1, 0);
    announce(1, 0xCB007102, 1);
    assert_true(ip_address_equal(seen(1, 1).ip, ip_address_v4(0xCB007102)));
    assert_false(gateways_resolve(gateways, &before));
}

TEST(what_is_wrong_changes_nothing, set_up, tear_down)
{
    const uint8_t other[RAIM_GATEWAY_KEY_BYTES] = {2};
    const int64_t skew_us = (int64_t)RAIM_ANNOUNCEMENT_SKEW_S * 1000000;
    assert_int_equal(announce_as(other, 1, 1, 0, 0), DATAGRAM_GATEWAY_KEY);
    assert_int_equal(announce_as(key, 1, 1, -skew_us - 1, 0), DATAGRAM_GATEWAY_TIME);
    assert_int_equal(announce_as(key, 1, 1, skew_us + 1, 0), DATAGRAM_GATEWAY_TIME);
    assert_int_equal(announce_as(key, 1, 1, -(int64_t)now_us, 0), DATAGRAM_GATEWAY_TIME);
    assert_int_equal(announce_as(key, 1, 1, -1 - (int64_t)now_us, 0), DATAGRAM_GATEWAY_TIME);
    assert_false(is_announced(1, 0));
    assert_int_equal(announce_as(key, 1, 1, skew_us, 0), DATAGRAM_OK);
    assert_int_equal(announce_as(key, 2, 1, -skew_us, 0), DATAGRAM_OK);
    // Not newer, by a wrong key, and after the socket fell silent.
    assert_int_equal(announce_as(key, 1, 2, skew_us, 1), DATAGRAM_GATEWAY_TIME);
    assert_int_equal(announce_as(other, 2, 2, 0, 1), DATAGRAM_GATEWAY_KEY);
    assert_int_equal(announce_as(key, 1, 2, skew_us, 2 * LATER), DATAGRAM_GATEWAY_TIME);
    assert_true(ip_address_equal(seen(2, 1).ip, ip_address_v4(1)));
    assert_false(is_announced(1, 2 * LATER));
}

TEST(a_copy_is_of_no_use_to_another_socket, set_up, tear_down)
{
    const struct raim_announcement announcement = {
        .time_us = now_us, .gateway = v4(0x7F000001, 1), .player = v4(0xCB007101, 5000)};
    uint8_t bytes[RAIM_ANNOUNCEMENT_BYTES];
    raim_announcement_write(&announcement, key, bytes);
    assert_int_equal(
        gateways_announce(gateways, socket_of(2), bytes, sizeof bytes, limits, now_us, 0),
        DATAGRAM_GATEWAY_SOCKET);
    assert_int_equal(gateways_announce(gateways, udp_address_v4(0x7F000002, 1), bytes, sizeof bytes,
                                       limits, now_us, 0),
                     DATAGRAM_GATEWAY_SOCKET);
}

TEST(a_full_table_replaces_who_is_silent_the_longest, set_up, tear_down)
{
    for (uint16_t i = 0; i < CAPACITY; i++)
        announce(100 + i, 0x0A000001 + ((uint32_t)i << 8), i);
    announce(100, 0x0A000001, CAPACITY);
    announce(1, 0xCB007101, CAPACITY + 1);
    assert_true(is_announced(1, CAPACITY + 1));
    assert_true(is_announced(100, CAPACITY + 1));
    assert_false(is_announced(101, CAPACITY + 1));
}

TEST(a_connection_keeps_its_entry, set_up, tear_down)
{
    announce(1, 0xCB007101, 0);
    for (uint16_t i = 0; i < 3 * CAPACITY; i++) {
        gateways_mark(gateways, seen(1, 1));
        gateways_sweep(gateways);
        announce(100 + i, 0x0A000001 + ((uint32_t)i << 8), 1 + i);
        assert_true(is_announced(1, 1));
    }
    gateways_sweep(gateways); // it has left
    announce(2, 0xCB007102, 4 * CAPACITY);
    assert_false(is_announced(1, 1));
}

// Entries are freed once a second. More clients than there are entries may come and go in between.
TEST(a_table_of_peers_that_have_just_connected_is_full_until_a_sweep, set_up, tear_down)
{
    for (uint16_t i = 0; i < CAPACITY; i++) {
        announce(100 + i, 0x0A000001 + ((uint32_t)i << 8), i);
        gateways_keep(gateways, seen(100 + i, i));
    }
    assert_int_equal(announce_as(key, 1, 0xCB007101, CAPACITY, CAPACITY), DATAGRAM_CONNECTIONS);
    for (uint16_t i = 0; i < PEERS; i++)
        gateways_mark(gateways, seen(100 + i, CAPACITY));
    gateways_sweep(gateways);
    announce(1, 0xCB007101, CAPACITY);
    for (uint16_t i = 0; i < PEERS; i++)
        assert_true(is_announced(100 + i, CAPACITY));
}

static int count_announced(uint16_t first)
{
    int count = 0;
    for (uint16_t i = 0; i < CAPACITY; i++)
        count += is_announced(first + i, CAPACITY);
    return count;
}

TEST(who_opens_many_sessions_replaces_its_own, set_up, tear_down)
{
    const int of_address = 2 * (int)limits.of_address, of_network = 2 * (int)limits.of_network;
    for (uint16_t i = 0; i < CAPACITY; i++)
        announce(100 + i, 0x0A000001 + ((uint32_t)i << 8), i);
    for (uint16_t i = 0; i < 1000; i++)
        announce(1000 + i, 0xCB007101, 1000 + i);
    assert_int_equal(count_announced(100), CAPACITY - of_address);
    for (uint16_t i = 0; i < 1000; i++)
        announce(3000 + i, 0xCB007102 + i % 9, 3000 + i);
    assert_int_equal(count_announced(100), CAPACITY - of_network);
}
