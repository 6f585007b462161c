// SPDX-License-Identifier: MIT
// Rate limits by token buckets, with a simulated clock.
#include "chance.h"
#include "rate_limit.h"
#include "test.h"

#define HERE 0x0A000001u
#define THERE 0xC0000201u

static struct rate_limit limit;

// A network: one token per 100 ms, a burst of 5. All networks: one per 10 ms, a burst of 20.
static int set_up(void **state)
{
    (void)state;
    rate_limit_init(&limit, RATE_OF_NETWORK, (struct rate){100, 5}, (struct rate){10, 20},
                    0x123456789ABCDEFu);
    return 0;
}

// Returns how many of the attempts at one time succeed.
static int take(uint32_t address, int attempts, int64_t now_ms)
{
    int taken = 0;
    for (int i = 0; i < attempts; i++)
        taken += rate_limit_take(&limit, ip_address_v4(address), now_ms);
    return taken;
}

TEST(a_network_has_its_burst_at_any_time_and_then_its_rate, set_up, NULL)
{
    assert_int_equal(take(HERE, 50, 0), 5);
    assert_int_equal(take(HERE, 50, 99), 0);
    assert_int_equal(take(HERE, 50, 100), 1);
    assert_int_equal(take(HERE, 50, 399), 2);
    assert_int_equal(take(HERE, 50, 400), 1);
}

TEST(no_more_than_the_burst_is_saved_up, set_up, NULL)
{
    assert_int_equal(take(HERE, 50, 1000), 5);
    assert_int_equal(take(HERE, 50, INT64_C(1) << 50), 5);
    assert_int_equal(take(HERE, 50, (INT64_C(1) << 50) + 100), 1);
}

TEST(addresses_of_one_network_share_a_bucket, set_up, NULL)
{
    int taken = 0;
    for (uint32_t host = 0; host < 256; host++)
        taken += rate_limit_take(&limit, ip_address_v4((HERE & ~0xFFu) | host), 0);
    assert_int_equal(taken, 5);
    assert_int_equal(take(THERE, 50, 0), 5);
}

TEST(all_together_have_a_rate_of_their_own, set_up, NULL)
{
    int taken = 0;
    for (uint32_t network = 0; network < 1000; network++)
        taken += rate_limit_take(&limit, ip_address_v4(network << 8), 0);
    assert_int_equal(taken, 20);
    assert_int_equal(take(THERE, 50, 9), 0);
    assert_int_equal(take(THERE, 50, 10), 1);
}

TEST(a_rejection_takes_no_tokens, set_up, NULL)
{
    assert_int_equal(take(HERE, 100000, 0), 5);
    // The shared bucket has lost those five tokens and no more.
    int taken = 0;
    for (uint32_t network = 1; network <= 15; network++)
        taken += take(THERE + (network << 8), 1, 0);
    assert_int_equal(taken, 15);
    assert_int_equal(take(THERE, 1, 0), 0);
    // Rejected by the shared bucket, THERE still has its own burst.
    assert_int_equal(take(THERE, 50, 1000), 5);
}

TEST(no_source_exceeds_burst_and_rate, set_up, NULL)
{
    int64_t now_ms = chance_int(0, 1000000);
    const int64_t begin_ms = now_ms;
    int64_t here = 0, all = 0;
    for (int i = 0; i < 200000; i++) {
        now_ms += chance_int(0, 9) == 0 ? chance_int(0, 40) : 0;
        if (chance_int(0, 1) == 0)
            here += rate_limit_take(&limit, ip_address_v4(HERE), now_ms);
        else
            all +=
                rate_limit_take(&limit, ip_address_v4((uint32_t)chance_int(0, INT32_MAX)), now_ms);
        assert_true(here <= 5 + (now_ms - begin_ms) / 100);
        assert_true(here + all <= 20 + (now_ms - begin_ms) / 10);
    }
    // A token that is due is granted.
    assert_true(here + all >= (now_ms - begin_ms) / 10 * 9 / 10);
}

// Sources that use much keep buckets of their own beside any number of others.
TEST(a_source_that_used_nothing_has_its_burst)
{
    rate_limit_init(&limit, RATE_OF_ADDRESS, (struct rate){100, 5}, RATE_UNLIMITED,
                    raim_random_next(&chance));
    for (int64_t ms = 0; ms < 10000; ms++)
        for (uint32_t network = 0; network < 64; network++)
            rate_limit_take(&limit, ip_address_v4(HERE + (network << 8)), ms);
    for (uint32_t host = 0; host < 100000; host++)
        assert_int_equal(rate_limit_left(&limit, ip_address_v4(THERE + host), 9999), 5);
    for (uint32_t network = 0; network < 64; network++)
        assert_true(rate_limit_left(&limit, ip_address_v4(HERE + (network << 8)), 9999) <= 1);
}

// A source that begins anew under other addresses inherits what others have used.
TEST(any_number_of_sources_gains_no_more_than_the_table_holds)
{
    int64_t taken = 0;
    rate_limit_init(&limit, RATE_OF_ADDRESS, (struct rate){100, 5}, RATE_UNLIMITED,
                    raim_random_next(&chance));
    for (uint32_t source = 0; source < 1000000; source++)
        taken += rate_limit_take(&limit, ip_address_v4(source), source / 1000);
    assert_true(taken <= RATE_LIMIT_ROWS * RATE_LIMIT_WAYS * (5 + 1000 / 100));
}
