// SPDX-License-Identifier: MIT
// Token buckets per address.
#include "address_budget.h"
#include "test.h"

enum { BURST = 100, PER_TICK = 10 };

static struct address_budget budget;

static void set_up(void)
{
    address_budget_init(&budget, BURST, PER_TICK, 0x123456789ABCDEFu);
}

TEST_EACH(set_up, NULL)

// Returns how many of `attempts` take a token.
static int take(uint32_t address, int attempts, uint64_t tick)
{
    int taken = 0;
    for (int i = 0; i < attempts; i++)
        taken += address_budget_take(&budget, ip_address_v4(address), tick);
    return taken;
}

TEST(an_address_has_its_burst_and_then_its_rate)
{
    assert_int_equal(take(1, 1000, 7), BURST);
    assert_int_equal(take(1, 1000, 8), PER_TICK);
    assert_int_equal(take(1, 1000, 11), 3 * PER_TICK);
    assert_int_equal(take(1, 1000, 11 + BURST), BURST);
    assert_int_equal(take(1, 1000, UINT64_MAX), BURST);
}

TEST(a_64_has_one_bucket)
{
    int taken = 0;
    for (uint64_t i = 0; i < 1000; i++)
        taken += address_budget_take(&budget, (struct ip_address){0x20010DB800000001, i}, 1);
    assert_int_equal(taken, BURST);
    assert_true(address_budget_take(&budget, (struct ip_address){0x20010DB800000002, 1}, 1));
}

TEST(a_flood_takes_nothing_from_other_addresses)
{
    enum { FLOODS = 8, HONEST = 2000 };
    for (uint64_t tick = 1; tick < 100; tick++) {
        for (uint32_t i = 0; i < FLOODS; i++)
            assert_in_range(take(0xC0000200u + i, 1000, tick), PER_TICK, BURST);
        if (tick != 50)
            continue;
        // FLOODS addresses can fill at most one row, wherever the hash puts them.
        int taken = 0;
        for (uint32_t i = 0; i < HONEST; i++)
            taken += take(0x0A000000u + i * 77, 2, tick);
        assert_true(taken >= 2 * HONEST - 2 * HONEST / ADDRESS_BUDGET_ROWS * 2);
    }
}

TEST(a_flood_is_not_evicted_by_quiet_addresses)
{
    assert_int_equal(take(1, 1000, 1), BURST);
    for (uint32_t i = 0; i < 10000; i++)
        address_budget_take(&budget, ip_address_v4(2 + i * 991), 1);
    assert_int_equal(take(1, 1000, 1), 0);
}

TEST(another_rate_keeps_the_used_tokens)
{
    take(1, 1000, 1);
    address_budget_set_rate(&budget, BURST + 5, PER_TICK);
    assert_int_equal(take(1, 1000, 1), 5);
}
