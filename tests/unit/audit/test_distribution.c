// SPDX-License-Identifier: MIT
// Tests of the distribution against sorted values.
#include "audit_measures.h"
#include "chance.h"
#include "test.h"

#include <math.h>

enum { VALUES = 2000 };

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

TEST(an_empty_distribution_is_zero)
{
    const struct distribution empty = {0};
    assert_true(distribution_quantile(&empty, 0.5) == 0);
    assert_true(distribution_share_below(&empty, 5) == 0);
}

TEST(quantiles_are_those_of_the_sorted_values)
{
    for (int round = 0; round < 200; round++) {
        struct distribution distribution = {0};
        uint32_t values[VALUES];
        const int count = chance_int(1, VALUES);
        const double scale = chance_between(0, 20);
        for (int i = 0; i < count; i++) {
            values[i] = (uint32_t)exp2(chance_between(0, scale)) - 1;
            distribution_add(&distribution, values[i]);
        }
        qsort(values, (size_t)count, sizeof *values, compare);
        assert_int_equal(distribution.least, values[0]);
        assert_int_equal(distribution.greatest, values[count - 1]);
        for (int i = 0; i <= 20; i++) {
            const int rank = (int)fmax(1, ceil(i / 20.0 * count));
            const double value = values[rank - 1];
            const double quantile = distribution_quantile(&distribution, i / 20.0);
            assert_true(fabs(quantile - value) <=
                        (value < DISTRIBUTION_LINEAR ? 0 : value / DISTRIBUTION_LINEAR));
        }
    }
}

TEST(a_share_below_a_bound_is_exact_for_small_bounds)
{
    struct distribution distribution = {0};
    for (uint32_t value = 0; value < 100; value++)
        distribution_add(&distribution, value);
    assert_true(distribution_share_below(&distribution, 0) == 0);
    assert_true(fabs(distribution_share_below(&distribution, 7) - 0.07) < 1e-12);
    assert_true(fabs(distribution_share_below(&distribution, 64) - 0.64) < 1e-12);
}

TEST(values_beyond_the_limit_keep_their_greatest)
{
    struct distribution distribution = {0};
    distribution_add(&distribution, UINT32_MAX);
    distribution_add(&distribution, 3);
    assert_int_equal(distribution.greatest, UINT32_MAX);
    assert_true(distribution_quantile(&distribution, 0.5) == 3);
    assert_true(distribution_quantile(&distribution, 1) < DISTRIBUTION_LIMIT);
}
