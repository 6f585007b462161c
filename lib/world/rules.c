// SPDX-License-Identifier: MIT
// The table of rules as an array.
#include "rules.h"

#include <assert.h>
#include <stddef.h>

static const struct raim_rule table[] = {
#define ROW(name, unit, value, min, max, meaning)                                                  \
    {#name, unit, meaning, value, min, max, offsetof(raim_rules, name)},
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

const struct raim_rule *raim_rules_check(const raim_rules *rules)
{
    raim_rules copy = *rules;
    for (int i = 0; i < RAIM_RULE_COUNT; i++) {
        const double value = *raim_rule_value(&copy, i);
        // The negated comparison rejects NaN.
        if (!(value >= table[i].min && value <= table[i].max))
            return &table[i];
    }
    return NULL;
}
