// SPDX-License-Identifier: MIT
// Rewind limit: the minimum of two round trip measurements within a second.     test_rewind_limit
// [--seed N]
#include "chance.h"
#include "rewind_limit.h"
#include "test.h"

enum { HZ = 60, SHOW = RAIM_REWIND_LIMIT_SHOW, MAX_JITTER = RAIM_REWIND_LIMIT_JITTER };

// Plays a tick with an acknowledgement after so many ticks; negative: none.
static uint32_t tick(struct raim_rewind_limit *rewind_limit, int delay)
{
    raim_rewind_limit_step(rewind_limit, HZ);
    if (delay >= 0)
        raim_rewind_limit_acknowledge(rewind_limit, (uint32_t)delay);
    return raim_rewind_limit_view(rewind_limit);
}

static uint32_t ticks(struct raim_rewind_limit *rewind_limit, int count, int delay)
{
    while (count-- > 0)
        tick(rewind_limit, delay);
    return raim_rewind_limit_view(rewind_limit);
}

// The transport's measurement of a round trip of `delay` whole ticks, without the wait for a tick.
static void tell(struct raim_rewind_limit *rewind_limit, uint32_t delay, uint32_t deviation_ms)
{
    raim_rewind_limit_measure(rewind_limit, ((delay + 1) * 1000 + HZ / 2) / HZ, deviation_ms, HZ);
}

TEST(nothing_is_allowed_before_anything_is_acknowledged)
{
    struct raim_rewind_limit rewind_limit = {0};
    assert_int_equal(ticks(&rewind_limit, 100, -1), 0);
    tell(&rewind_limit, 9, 0);
    assert_int_equal(raim_rewind_limit_view(&rewind_limit), 0);
    assert_int_equal(tick(&rewind_limit, 9), 9 + SHOW);
}

TEST(the_least_of_a_second_counts)
{
    struct raim_rewind_limit rewind_limit = {0};
    assert_int_equal(ticks(&rewind_limit, 100, 9), 9 + SHOW);
    assert_true(tick(&rewind_limit, 5) <= 5 + SHOW + MAX_JITTER);
    assert_int_equal(ticks(&rewind_limit, 3 * HZ, 5), 5 + SHOW);
    // One prompt answer in 50 ticks suffices for the minimum.
    for (int i = 0; i < 1000; i++)
        assert_true(tick(&rewind_limit, i % 50 == 0 ? 5 : 20) <= 5 + SHOW + MAX_JITTER);
}

TEST(it_rises_no_faster_than_a_tick_in_200_ms)
{
    struct raim_rewind_limit rewind_limit = {0};
    ticks(&rewind_limit, 100, 0);
    uint32_t before = SHOW;
    for (int i = 1; i <= 6 * HZ; i++) {
        const uint32_t now = tick(&rewind_limit, 12);
        assert_true(now <= before + 1);
        assert_true(i >= HZ - HZ / 8 || now == SHOW);
        assert_true(now <= SHOW + (uint32_t)i * 5 / HZ);
        before = now;
    }
    assert_int_equal(before, 12 + SHOW); // and then it counts
    tell(&rewind_limit, 12, 0);
    assert_int_equal(tick(&rewind_limit, 0), SHOW);
}

TEST(the_lesser_of_both_measurements_counts)
{
    struct raim_rewind_limit rewind_limit = {0};
    tell(&rewind_limit, 1, 0);
    assert_int_equal(tick(&rewind_limit, 8), 1 + SHOW);
    for (int i = 0; i < 300; i++) {
        tell(&rewind_limit, 1, 0);
        assert_int_equal(tick(&rewind_limit, 8), 1 + SHOW);
    }
    tell(&rewind_limit, 30, 0);
    assert_true(ticks(&rewind_limit, HZ, 8) <= 8 + SHOW);
    // The transport's measurement holds for a second.
    tell(&rewind_limit, 0, 0);
    assert_int_equal(ticks(&rewind_limit, HZ - 1, 8), SHOW);
    assert_true(ticks(&rewind_limit, 4 * HZ, 8) == 8 + SHOW);
}

TEST(it_stays_while_nothing_is_measured)
{
    struct raim_rewind_limit rewind_limit = {0};
    ticks(&rewind_limit, 100, 3);
    assert_int_equal(ticks(&rewind_limit, 10 * HZ, -1), 3 + SHOW);
    assert_int_equal(tick(&rewind_limit, 40), 3 + SHOW);
}

// Every delay from `least` to `least + spread` ticks is as likely.
static uint32_t jitter_for(uint32_t least, uint32_t spread, uint32_t deviation_ms)
{
    struct raim_rewind_limit rewind_limit = {0};
    for (int i = 0; i < 60 * HZ; i++) {
        if (deviation_ms != UINT32_MAX)
            tell(&rewind_limit, least + spread, deviation_ms);
        tick(&rewind_limit, (int)(least + raim_random_below(&chance, spread + 1)));
    }
    return raim_rewind_limit_view(&rewind_limit) - least - SHOW;
}

TEST(jitter_is_added_up_to_its_limit)
{
    assert_int_equal(jitter_for(9, 0, UINT32_MAX), 0);
    assert_int_equal(jitter_for(9, 2, UINT32_MAX), 2);
    assert_int_equal(jitter_for(9, 6, UINT32_MAX), MAX_JITTER);
    assert_int_equal(jitter_for(9, 6, 100), MAX_JITTER);
}

TEST(jitter_is_what_both_measurements_see)
{
    assert_int_equal(jitter_for(9, 6, 0), 0);
    assert_int_equal(jitter_for(9, 0, 100), 0);
}

TEST(bursts_make_no_jitter)
{
    struct raim_rewind_limit rewind_limit = {0};
    for (int i = 0; i < 60 * HZ; i++) {
        tell(&rewind_limit, 12, 100);
        assert_true(tick(&rewind_limit, i % 150 >= 105 ? 12 : 0) <= SHOW);
    }
}
