// SPDX-License-Identifier: MIT
// The parameters of the game. RAIM_RULES is their single table: it generates the struct, the
// defaults, the range check, the configuration keys and the order on the wire. A new rule is the
// last row. A world rounds times to whole ticks, and the running speed to whole steps of the map's
// grid per tick (raim_world_stride).
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The most bullets of a shot: every player of the largest world has slots for a shot.
#define RAIM_MAX_PELLETS 8

#define RAIM_MAX_HEALTH 255 // points; 8 bits of the wire

// X(name, kind, unit, default, min, max, meaning). The kind is NUMBER, or INTEGER for a whole one.
#define RAIM_RULES(X)                                                                              \
    X(player_radius, NUMBER, "units", 20, 4, 100, "radius of a player")                            \
    X(player_speed, NUMBER, "units/s", 300, 10, 2000,                                              \
      "running speed, the same in every direction")                                                \
    X(bullet_radius, NUMBER, "units", 4, 0.5, 50, "radius of a bullet")                            \
    X(bullet_speed, NUMBER, "units/s", 900, 50, 20000, "speed of a bullet")                        \
    X(bullet_lifetime, NUMBER, "s", 1.2, 0.05, 10, "time after which a bullet vanishes")           \
    X(fire_cooldown, NUMBER, "s", 0.25, 0.02, 10, "time between two shots of a player")            \
    X(respawn_delay, NUMBER, "s", 2, 0, 60, "time a destroyed player stays down")                  \
    X(spawn_protection, NUMBER, "s", 1, 0, 30,                                                     \
      "time a fresh player is shielded, ended by its first shot")                                  \
    X(pellets, INTEGER, "bullets", 1, 1, RAIM_MAX_PELLETS, "bullets of a shot")                    \
    X(spread, NUMBER, "degrees", 0, 0, 180, "angle between the outermost bullets of a shot")       \
    X(bounces, INTEGER, "times", 0, 0, 100, "how often obstacles and the border reflect a bullet") \
    X(health, INTEGER, "points", 1, 1, RAIM_MAX_HEALTH, "health of a fresh player")                \
    X(damage, INTEGER, "points", 1, 1, RAIM_MAX_HEALTH, "health that a hit takes")                 \
    X(regeneration, NUMBER, "s", 0, 0, 60, "time in which a player regains a point; 0: never")

typedef struct raim_rules {
#define RAIM_RULE_FIELD(name, kind, unit, value, min, max, meaning) double name;
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
    bool is_integer;
    size_t offset; // of its double in raim_rules
};

// Returns the default rules.
raim_rules raim_rules_default(void);

// Returns the row with an index from 0 to RAIM_RULE_COUNT - 1.
const struct raim_rule *raim_rule_at(int index);

// Returns the value of a rule, by its index, inside a set of rules.
double *raim_rule_value(raim_rules *rules, int index);

// Returns whether a value is in the range of a rule and, if it must be, an integer.
bool raim_rule_accepts(const struct raim_rule *rule, double value);

// Returns the first rule whose value it does not accept, or NULL when all are valid.
const struct raim_rule *raim_rules_check(const raim_rules *rules);

#ifdef __cplusplus
}
#endif
