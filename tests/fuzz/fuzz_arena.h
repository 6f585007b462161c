// SPDX-License-Identifier: MIT
// Small maps for targets that play matches. One has a concave obstacle, so that there are seams,
// between two spawns that see each other.
#pragma once

#include "map.h"
#include "rules.h"

#include <assert.h>

// The caller destroys it.
static inline struct raim_map *fuzz_map(void)
{
    static const struct raim_obstacle_def corner = {
        .points = {{150, 150}, {450, 150}, {450, 200}, {200, 200}, {200, 450}, {150, 450}},
        .count = 6,
    };
    static const raim_vec2 spawns[] = {{60, 60}, {540, 60}};
    const struct raim_map_def def = {
        .name = "fuzz",
        .border = {{0, 0}, {600, 600}},
        .obstacles = &corner,
        .obstacle_count = 1,
        .spawns = spawns,
        .spawn_count = 2,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert(map != NULL);
    return map;
}

// Makes a map without obstacles. The caller destroys it.
static inline struct raim_map *fuzz_empty_map(void)
{
    static const raim_vec2 spawns[] = {{60, 60}, {340, 340}};
    const struct raim_map_def def = {
        .name = "empty",
        .border = {{0, 0}, {400, 400}},
        .spawns = spawns,
        .spawn_count = 2,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert(map != NULL);
    return map;
}

// Rules under which much happens in a few ticks.
static inline raim_rules fuzz_rules(void)
{
    raim_rules rules = raim_rules_default();
    rules.bullet_speed = 5000;
    rules.bullet_lifetime = 0.2;
    rules.fire_cooldown = 0.02;
    rules.respawn_delay = 0;
    rules.spawn_protection = 0;
    return rules;
}
