// SPDX-License-Identifier: MIT
// Percentiles of round-trip times.
#include "ping_histogram.h"
#include "test.h"

static struct ping_histogram histogram;

static void set_up(void)
{
    histogram = (struct ping_histogram){0};
}

TEST_EACH(set_up, NULL)

TEST(without_times_it_is_zero)
{
    assert_float_equal(ping_histogram_quantile(&histogram, 0.99), 0, 0);
}

TEST(percentiles_of_a_hundred_times)
{
    for (int i = 0; i < 100; i++)
        ping_histogram_add(&histogram, 10 + i + 0.05);
    assert_float_equal(ping_histogram_quantile(&histogram, 0), 10.1, 1e-4);
    assert_float_equal(ping_histogram_quantile(&histogram, 0.5), 59.1, 1e-4);
    assert_float_equal(ping_histogram_quantile(&histogram, 0.95), 104.1, 1e-4);
    assert_float_equal(ping_histogram_quantile(&histogram, 0.99), 108.1, 1e-4);
    assert_float_equal(ping_histogram_quantile(&histogram, 1), 109.1, 1e-4);
}

TEST(impossible_times_are_the_limits)
{
    ping_histogram_add(&histogram, -5);
    ping_histogram_add(&histogram, 1e12);
    assert_float_equal(ping_histogram_quantile(&histogram, 0.5), 0.1, 1e-4);
    assert_float_equal(ping_histogram_quantile(&histogram, 1), 2000, 1e-4);
}
