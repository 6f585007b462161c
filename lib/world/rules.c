// SPDX-License-Identifier: MIT
// The table of rules as an array.
#include "rules.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static const struct raim_rule table[] = {
#define IS_NUMBER false
#define IS_INTEGER true
#define ROW(name, kind, unit, value, min, max, meaning)                                            \
    {#name, unit, meaning, value, min, max, IS_##kind, offsetof(raim_rules, name)},
    RAIM_RULES(ROW)
#undef ROW
};

static_assert(sizeof table / sizeof *table == RAIM_RULE_COUNT, "every field is a rule");

raim_rules raim_rules_default(void)
{
    raim_rules rules;
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        *raim_rule_value(&rules, i) = table[i].value;
    return rules;
}

const struct raim_rule *raim_rule_at(int index)
{
    assert(index >= 0);
    assert(index < RAIM_RULE_COUNT);
    return &table[index];
}

double *raim_rule_value(raim_rules *rules, int index)
{
    return (double *)(void *)((char *)rules + raim_rule_at(index)->offset);
}

bool raim_rule_accepts(const struct raim_rule *rule, double value)
{
    // NaN fails both comparisons.
    return value >= rule->min && value <= rule->max && (!rule->is_integer || floor(value) == value);
}

const struct raim_rule *raim_rules_check(const raim_rules *rules)
{
    raim_rules copy = *rules;
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        if (!raim_rule_accepts(&table[i], *raim_rule_value(&copy, i)))
            return &table[i];
    return NULL;
}
