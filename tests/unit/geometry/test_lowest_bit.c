// SPDX-License-Identifier: MIT
// The search for the lowest bit, which compilers without a builtin use, equals the builtin.
#include "lowest_bit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_every_bit_is_found_below_others(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit < 64; bit++) {
        const uint64_t alone = (uint64_t)1 << bit;
        const uint64_t others = ~(alone - 1) & UINT64_C(0x9e3779b97f4a7c15);
        assert_int_equal(raim_lowest_bit_search(alone), bit);
        assert_int_equal(raim_lowest_bit_search(alone | others), bit);
        assert_int_equal(raim_lowest_bit_search(~(alone - 1)), bit);
        assert_int_equal(raim_lowest_bit(alone | others), bit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit_is_found_below_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
