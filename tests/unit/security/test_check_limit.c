// SPDX-License-Identifier: MIT
// Who gets a check while others flood, with a simulated clock.
#include "chance.h"
#include "check_limit.h"
#include "test.h"

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

static int set_up(void **state)
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

TEST(failures_cost_their_address_and_their_network, set_up, NULL)
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

TEST(a_flood_of_failures_leaves_most_checks_to_others, set_up, NULL)
{
    for (int hosts = 1; hosts <= 256; hosts += 255) {
        int checks = 0;
        set_up(state);
        for (int64_t ms = 0; ms < SECONDS * 1000; ms++)
            checks += flood(hosts, true, ms);
        assert_true(checks <= NETWORKS * (40 + 2 * SECONDS));
    }
}

// Everybody else gets a check at the first attempt, whatever the flood consists of.
TEST(a_flood_from_64_networks_keeps_nobody_else_out, set_up, NULL)
{
    for (int variant = 0; variant < 4; variant++) {
        set_up(state);
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
TEST(a_player_in_a_flooding_network_gets_in, set_up, NULL)
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
TEST(without_a_flood_many_are_let_in_at_once, set_up, NULL)
{
    for (int variant = 0; variant < 2; variant++) {
        int in = 0;
        set_up(state);
        for (int64_t ms = 0; ms < 1000; ms += 100)
            for (uint32_t i = 0; i < 256 && in < 256; i++)
                in += take(0x0A000001 + (variant == 0 ? i << 8 : 0), ms);
        assert_int_equal(in, 256);
    }
}
