// SPDX-License-Identifier: MIT
// The search for the lowest bit, which compilers without a builtin use, equals the builtin.
#include "lowest_bit.h"
#include "test.h"

TEST(every_bit_is_found_below_others)
{
    for (uint32_t bit = 0; bit < 64; bit++) {
        const uint64_t alone = (uint64_t)1 << bit;
        const uint64_t others = ~(alone - 1) & UINT64_C(0x9e3779b97f4a7c15);
        assert_int_equal(raim_lowest_bit_search(alone), bit);
        assert_int_equal(raim_lowest_bit_search(alone | others), bit);
        assert_int_equal(raim_lowest_bit_search(~(alone - 1)), bit);
        assert_int_equal(raim_lowest_bit(alone | others), bit);
    }
}
