// SPDX-License-Identifier: MIT
// Tests of the table of rules.
#include "rules.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_defaults_are_good(void **state)
{
    (void)state;
    const raim_rules rules = raim_rules_default();
    assert_null(raim_rules_check(&rules));
    assert_true(rules.player_radius == 20);
    assert_true(rules.spawn_protection == 1);
}

static void test_each_row_is_its_own_field(void **state)
{
    (void)state;
    raim_rules rules = raim_rules_default();
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        *raim_rule_value(&rules, i) = i;
    assert_true(rules.player_radius == 0 && rules.bullet_speed == 3 && rules.spawn_protection == 7);
    for (int i = 0; i < RAIM_RULE_COUNT; i++) {
        assert_true(*raim_rule_value(&rules, i) == i);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(raim_rule_at(i)->name, raim_rule_at(j)->name);
    }
    assert_string_equal(raim_rule_at(3)->name, "bullet_speed");
    assert_string_equal(raim_rule_at(3)->unit, "units/s");
}

static void test_first_rule_out_of_range_is_returned(void **state)
{
    (void)state;
    for (int i = 0; i < RAIM_RULE_COUNT; i++) {
        const struct raim_rule *rule = raim_rule_at(i);
        const double bad[] = {nextafter(rule->min, -1e9), nextafter(rule->max, 1e9), NAN, INFINITY,
                              -INFINITY};
        const double good[] = {rule->min, rule->max};
        raim_rules rules = raim_rules_default();
        for (size_t j = 0; j < sizeof good / sizeof *good; j++) {
            *raim_rule_value(&rules, i) = good[j];
            assert_null(raim_rules_check(&rules));
        }
        *raim_rule_value(&rules, RAIM_RULE_COUNT - 1) = NAN;
        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
            *raim_rule_value(&rules, i) = bad[j];
            assert_ptr_equal(raim_rules_check(&rules), rule);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_good),
        cmocka_unit_test(test_each_row_is_its_own_field),
        cmocka_unit_test(test_first_rule_out_of_range_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
