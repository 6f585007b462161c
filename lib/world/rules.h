// SPDX-License-Identifier: MIT
// The parameters of the game. RAIM_RULES is their single table: it generates the struct, the
// defaults, the range check, the configuration keys and the order on the wire. A world rounds times
// to whole ticks, and the running speed to whole steps of the map's grid per tick
// (raim_world_stride).
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// X(name, unit, default, min, max, meaning)
#define RAIM_RULES(X)                                                                              \
    X(player_radius, "units", 20, 4, 100, "radius of a player")                                    \
    X(player_speed, "units/s", 300, 10, 2000, "running speed, the same in every direction")        \
    X(bullet_radius, "units", 4, 0.5, 50, "radius of a bullet")                                    \
    X(bullet_speed, "units/s", 900, 50, 20000, "speed of a bullet")                                \
    X(bullet_lifetime, "s", 1.2, 0.05, 10, "time after which a bullet vanishes")                   \
    X(fire_cooldown, "s", 0.25, 0.02, 10, "time between two shots of a player")                    \
    X(respawn_delay, "s", 2, 0, 60, "time a destroyed player stays down")                          \
    X(spawn_protection, "s", 1, 0, 30, "time a fresh player is shielded, ended by its first shot")

typedef struct raim_rules {
#define RAIM_RULE_FIELD(name, unit, value, min, max, meaning) double name;
    RAIM_RULES(RAIM_RULE_FIELD)
#undef RAIM_RULE_FIELD
} raim_rules;

#define RAIM_RULE_COUNT ((int)(sizeof(raim_rules) / sizeof(double)))

// One row of the table, for code that loads, prints or sends rules.
struct raim_rule {
    const char *name;
    const char *unit;
    const char *meaning;
    double value, min, max; // default and range, inclusive
    size_t offset;          // of its double in raim_rules
};

// Returns the default rules.
raim_rules raim_rules_default(void);

// Returns the row with an index from 0 to RAIM_RULE_COUNT - 1.
const struct raim_rule *raim_rule_at(int index);

// Returns the value of a rule, by its index, inside a set of rules.
double *raim_rule_value(raim_rules *rules, int index);

// Returns the first rule that is out of its range or not finite, or NULL when all are valid.
const struct raim_rule *raim_rules_check(const raim_rules *rules);

#ifdef __cplusplus
}
#endif
