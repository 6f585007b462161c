// SPDX-License-Identifier: MIT
// Rate limit of new connections per address, with a simulated clock.
#include "chance.h"
#include "check_limit.h"
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

TEST(an_address_has_its_burst_and_then_its_rate, set_up, NULL)
{
    int at_once = 0, later = 0;
    for (int i = 0; i < 1000; i++)
        at_once += come_and_go(HOME, 0);
    assert_int_equal(at_once, 4 * PER_S);
    for (int64_t ms = 1; ms <= 10000; ms++)
        later += come_and_go(HOME, ms);
    assert_int_equal(later, 10 * PER_S);
}

TEST(another_address_does_not_notice, set_up, NULL)
{
    for (int i = 0; i < 1000; i++)
        come_and_go(HOME, 0);
    // One may hash to the same bucket, with probability 1/1024, but not all three.
    int others = 0;
    for (int i = 0; i < 3; i++)
        others += come_and_go((uint32_t)chance_int(0x0B000000, 0x7EFFFFFF), 0);
    assert_true(others > 0);
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
