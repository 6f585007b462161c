// SPDX-License-Identifier: MIT
// Tests of the table of rules.
#include "rules.h"
#include "test.h"

#include <math.h>

TEST(defaults_are_good)
{
    const raim_rules rules = raim_rules_default();
    assert_null(raim_rules_check(&rules));
    assert_true(rules.player_radius == 20);
    assert_true(rules.spawn_protection == 1);
}

TEST(each_row_is_its_own_field)
{
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

TEST(first_rule_out_of_range_is_returned)
{
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
