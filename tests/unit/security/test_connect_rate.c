// SPDX-License-Identifier: MIT
// Rate limit of new connections per address, with a simulated clock.
#include "chance.h"
#include "check_limit.h"
#include "connect_rate.h"
#include "test.h"

#define HOME 0x0A000001u

enum { PER_S = 5, CONNECT_RATE_PER_MS = 1 };

static struct connect_rate limiter;

static int set_up(void **state)
{
    (void)state;
    connect_rate_init(&limiter, PER_S, raim_random_next(&chance));
    return 0;
}

// Begins a new connection that is never retried.
static bool come_and_go(uint32_t address, int64_t now_ms)
{
    static uint32_t connection;
    connection++;
    return connect_rate_admit(&limiter,
                              udp_address_v4(address, (uint16_t)chance_int(1024, UINT16_MAX)),
                              connection, now_ms);
}

// Begins a connection of one of the hosts (/64) of a network (/48), which may use all its
// addresses.
static bool come_from_v6(uint64_t network, uint64_t host, int64_t now_ms)
{
    static uint32_t connection;
    const struct udp_address from = {
        .ip = {network << 16 | host, raim_random_next(&chance)},
        .port = (uint16_t)chance_int(1024, UINT16_MAX),
    };
    return connect_rate_admit(&limiter, from, ++connection, now_ms);
}

TEST(a_64_has_the_rate_of_an_address_however_many_it_uses, set_up, NULL)
{
    int at_once = 0, later = 0;
    for (int i = 0; i < 1 << 16; i++)
        at_once += come_from_v6(0x20010DB80001, 7, 0);
    assert_int_equal(at_once, 4 * PER_S);
    for (int64_t ms = 1; ms <= 10000; ms++)
        later += come_from_v6(0x20010DB80001, 7, ms);
    assert_int_equal(later, 10 * PER_S);
}

TEST(a_48_has_a_rate_of_its_own_whatever_one_64_does, set_up, NULL)
{
    int taken = 0;
    for (uint64_t host = 0; host < 1 << 16; host++)
        taken += come_from_v6(0x20010DB80001, host, 0);
    assert_int_equal(taken, 4 * PER_S * CONNECT_RATE_OF_NETWORK);
    // A flood of one /64 leaves its neighbours theirs, of which one bucket may be the flood's.
    connect_rate_init(&limiter, PER_S, raim_random_next(&chance));
    for (int i = 0; i < 1 << 16; i++)
        come_from_v6(0x20010DB80001, 1, 0);
    taken = 0;
    for (uint64_t host = 2; host < 5; host++)
        taken += come_from_v6(0x20010DB80001, host, 0);
    assert_true(taken >= 2);
}

static int64_t connect_rate_ms;

// A thousand connections a second.
static void connect_rate_until(int64_t ms)
{
    for (; connect_rate_ms < ms; connect_rate_ms++)
        for (int i = 0; i < CONNECT_RATE_PER_MS; i++)
            come_and_go(HOME, connect_rate_ms);
}

// Retries as ENet does: after 500 ms, 1 s more, 2 s more. Returns the wait until it is admitted;
// -1: never.
static int64_t wait_behind(void)
{
    static uint32_t connection = 1u << 31;
    const uint16_t port = (uint16_t)chance_int(1024, UINT16_MAX);
    const int64_t begin_ms = connect_rate_ms;
    connection++;
    for (int64_t waited_ms = 0, pause_ms = 500; waited_ms < 5000; pause_ms *= 2) {
        connect_rate_until(begin_ms + waited_ms);
        if (connect_rate_admit(&limiter, udp_address_v4(HOME, port), connection,
                               begin_ms + waited_ms))
            return waited_ms;
        waited_ms += pause_ms;
    }
    return -1;
}

TEST(a_neighbour_of_a_reconnecting_client_connects_by_retrying, set_up, NULL)
{
    int at_second = 0, at_once = 0;
    connect_rate_ms = 0;
    for (int trial = 0; trial < 200; trial++) {
        connect_rate_until(connect_rate_ms + chance_int(100, 1000));
        const int64_t waited_ms = wait_behind();
        assert_in_range(waited_ms, 0, 3500);
        at_once += waited_ms == 0;
        at_second += waited_ms == 500;
    }
    print_message("of 200, %d got in at once and %d by the first repetition\n", at_once, at_second);
    assert_true(at_once < 50);
    assert_true(at_once + at_second >= 150);
}

TEST(an_immediate_retry_is_rejected, set_up, NULL)
{
    for (int i = 0; i < 1000; i++)
        come_and_go(HOME, 0);
    for (int64_t ms = 0; ms < CONNECT_RATE_RETRY_MS && ms < 1000 / PER_S; ms++)
        assert_false(connect_rate_admit(&limiter, udp_address_v4(HOME, 1234), 7, ms));
}

TEST(retrying_clients_share_a_rate, set_up, NULL)
{
    enum { WAITERS = 200, SECONDS = 20 };
    int taken = 0;
    for (int64_t ms = 0; ms < SECONDS * 1000; ms += 100) {
        for (int i = 0; i < 100; i++)
            taken += come_and_go(HOME, ms);
        for (uint16_t port = 0; port < WAITERS; port++)
            taken += connect_rate_admit(&limiter, udp_address_v4(HOME, port), 7, ms);
    }
    // Two buckets, full at first.
    assert_in_range(taken, PER_S * SECONDS, (4 + 1 + 2 * SECONDS) * PER_S);
}

TEST(random_connects_never_exceed_both_rates, set_up, NULL)
{
    for (int trial = 0; trial < 50; trial++) {
        const int per_second = chance_int(1, 1000);
        int taken = 0;
        int64_t ms = 0;
        connect_rate_init(&limiter, (uint32_t)per_second, raim_random_next(&chance));
        while (ms < 5000) {
            ms += chance_int(0, 3);
            taken += connect_rate_admit(&limiter, udp_address_v4(HOME, (uint16_t)chance_int(1, 50)),
                                        (uint32_t)chance_int(1, 3), ms);
        }
        // The limiter rounds intervals to whole milliseconds.
        const int interval = 1000 / per_second;
        assert_true(taken <= 5 * per_second + 2 * (int)(ms / interval) + 2);
    }
}

// --- Check limit ---

// Who gets a check while others flood, with a simulated clock.

enum { NETWORKS = 64, FLOOD_PER_MS = 100, SECONDS = 6 };

#define PLAYER 0xC0000201u
#define NEWCOMER 0xC6336401u

static struct check_limit limit;

static bool is_player(void *context, struct ip_address ip)
{
    (void)context;
    return ip_address_equal(ip, ip_address_v4(PLAYER));
}

static const struct check_limit_known known = {.is_known = is_player};

static int set_up_check_limit(void **state)
{
    (void)state;
    check_limit_init(&limit, raim_random_next(&chance));
    return 0;
}

static bool take(uint32_t address, int64_t now_ms)
{
    return check_limit_take(&limit, ip_address_v4(address), &known, now_ms);
}

// An address of one of the flooding networks.
static uint32_t flooder(int hosts)
{
    return (uint32_t)(0x0A000000 + chance_int(0, NETWORKS - 1) * 256 + chance_int(0, hosts - 1));
}

// A millisecond of a flood, whose checks fail or not. Returns how many were made.
static int flood(int hosts, bool fails, int64_t now_ms)
{
    int checks = 0;
    for (int i = 0; i < FLOOD_PER_MS; i++) {
        const uint32_t address = flooder(hosts);
        if (!take(address, now_ms))
            continue;
        checks++;
        if (fails)
            check_limit_fail(&limit, ip_address_v4(address), now_ms);
    }
    return checks;
}

TEST(failures_cost_their_address_and_their_network, set_up_check_limit, NULL)
{
    int checks = 0;
    for (int64_t ms = 0; ms < 60000; ms++)
        if (take(0x0A000001, ms)) {
            checks++;
            check_limit_fail(&limit, ip_address_v4(0x0A000001), ms);
        }
    assert_in_range(checks, 10 + 60 / 2 - 1, 10 + 60 / 2 + 1);
    assert_true(take(0x0A000002, 60000)); // a neighbour
    for (uint32_t host = 3; host < 200; host++)
        if (take(0x0A000000 + host, 60000 + host))
            check_limit_fail(&limit, ip_address_v4(0x0A000000 + host), 60000 + host);
    assert_false(take(0x0A0000FE, 60200)); // of the network
    assert_true(take(0x0A000101, 60200));
}

TEST(a_flood_of_failures_leaves_most_checks_to_others, set_up_check_limit, NULL)
{
    for (int hosts = 1; hosts <= 256; hosts += 255) {
        int checks = 0;
        set_up_check_limit(state);
        for (int64_t ms = 0; ms < SECONDS * 1000; ms++)
            checks += flood(hosts, true, ms);
        assert_true(checks <= NETWORKS * (40 + 2 * SECONDS));
    }
}

// Everybody else gets a check at the first attempt, whatever the flood consists of.
TEST(a_flood_from_64_networks_keeps_nobody_else_out, set_up_check_limit, NULL)
{
    for (int variant = 0; variant < 4; variant++) {
        set_up_check_limit(state);
        for (int64_t ms = 0; ms < SECONDS * 1000; ms++) {
            const int hosts = variant < 2 ? 1 : 256;
            flood(hosts, variant % 2 == 0, ms);
            if (ms % 1000 == 500) {
                assert_true(take(PLAYER, ms));
                assert_true(take(NEWCOMER, ms));
            }
        }
    }
}

// The reserve is for a player's address even in a flooding network.
TEST(a_player_in_a_flooding_network_gets_in, set_up_check_limit, NULL)
{
    const struct ip_address player = ip_address_v4(PLAYER);
    for (int64_t ms = 0; ms < 5000; ms++) {
        flood(256, true, ms);
        check_limit_fail(&limit, ip_address_v4(PLAYER + (uint32_t)chance_int(1, 50)), ms);
    }
    assert_int_equal(rate_limit_left(&limit.network_failures, player, 4999), 0);
    assert_false(take(PLAYER - 1, 4999));
    assert_true(take(PLAYER, 4999));
}

// As many as come back after a restart, or join behind one address.
TEST(without_a_flood_many_are_let_in_at_once, set_up_check_limit, NULL)
{
    for (int variant = 0; variant < 2; variant++) {
        int in = 0;
        set_up_check_limit(state);
        for (int64_t ms = 0; ms < 1000; ms += 100)
            for (uint32_t i = 0; i < 256 && in < 256; i++)
                in += take(0x0A000001 + (variant == 0 ? i << 8 : 0), ms);
        assert_int_equal(in, 256);
    }
}
