// SPDX-License-Identifier: MIT
// A small world for tests of the rules: a map of rectangles with players at chosen positions.
#pragma once

#include "test.h"
#include "world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct arena_fixture {
    struct raim_map *map;
    struct raim_world *world;
    raim_input inputs[RAIM_MAX_PLAYERS];
    raim_event items[16384];
    struct raim_events events;
    struct raim_world_workspace *workspace;
};

// A map of 2000 x 2000 around the origin with spawns at its four corners and these boxes.
static inline struct raim_map *fixture_map(const raim_box *boxes, int count)
{
    static struct raim_obstacle_def obstacles[64];
    const raim_vec2 spawns[] = {{-900, -900}, {900, -900}, {900, 900}, {-900, 900}};
    for (int i = 0; i < count; i++)
        obstacles[i] = (struct raim_obstacle_def){
            .points = {boxes[i].min,
                       {boxes[i].max.x, boxes[i].min.y},
                       boxes[i].max,
                       {boxes[i].min.x, boxes[i].max.y}},
            .count = 4,
        };
    const struct raim_map_def def = {
        .name = "fixture",
        .border = {{-1000, -1000}, {1000, 1000}},
        .obstacles = obstacles,
        .obstacle_count = count,
        .spawns = spawns,
        .spawn_count = 4,
    };
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert(map != NULL);
    return map;
}

static inline void fixture_free(void *object)
{
    struct arena_fixture *fixture = object;
    raim_map_destroy(fixture->map);
    free(fixture->world);
    raim_world_workspace_destroy(fixture->workspace);
    free(fixture);
}

// Where a test makes many; the others are destroyed after it.
static inline void fixture_destroy(struct arena_fixture *fixture)
{
    test_end_now(fixture);
}

// Takes the map.
static inline struct arena_fixture *fixture_create_as(struct raim_map *map,
                                                      const struct raim_world_def *def)
{
    struct arena_fixture *fixture = calloc(1, sizeof *fixture);
    test_at_end(fixture_free, fixture);
    fixture->map = map;
    fixture->world = raim_world_init(malloc(raim_world_size(def)), def);
    fixture->events.items = fixture->items;
    fixture->events.capacity = 16384;
    fixture->workspace = raim_world_workspace_create();
    return fixture;
}

// Takes the map. Without rules they are the default ones.
static inline struct arena_fixture *fixture_create_on(struct raim_map *map, const raim_rules *rules,
                                                      uint32_t tick_hz, uint32_t players)
{
    const struct raim_world_def def = {.rules = rules != NULL ? *rules : raim_rules_default(),
                                       .tick_hz = tick_hz,
                                       .max_players = players,
                                       .max_rewind = 12,
                                       .seed = 1};
    return fixture_create_as(map, &def);
}

static inline struct arena_fixture *fixture_create(const raim_rules *rules, uint32_t players,
                                                   const raim_box *boxes, int box_count)
{
    return fixture_create_on(fixture_map(boxes, box_count), rules, 60, players);
}

// Adds a living, unshielded player at a position.
static inline raim_player *fixture_put(struct arena_fixture *fixture, raim_vec2 position)
{
    const raim_player_id id = raim_world_join(fixture->world);
    assert(id != RAIM_NOBODY);
    raim_player *player = &raim_world_players(fixture->world)[raim_player_slot(id)];
    player->state = RAIM_PLAYER_ALIVE;
    player->health = (uint8_t)fixture->world->rules.health;
    player->position = position;
    player->previous = position;
    return player;
}

static inline raim_input *fixture_input(struct arena_fixture *fixture, const raim_player *player)
{
    return &fixture->inputs[player - raim_world_players(fixture->world)];
}

static inline void fixture_step(struct arena_fixture *fixture)
{
    raim_world_step(fixture->world, fixture->map, fixture->inputs, &fixture->events,
                    fixture->workspace);
}

static inline void fixture_steps(struct arena_fixture *fixture, int count)
{
    while (count-- > 0)
        fixture_step(fixture);
}

static inline uint32_t fixture_count(const struct arena_fixture *fixture, enum raim_event_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fixture->events.count; i++)
        count += fixture->events.items[i].kind == kind;
    return count;
}

static inline uint32_t fixture_bullets(const struct arena_fixture *fixture)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < fixture->world->max_bullets; slot++)
        count += raim_world_bullets(fixture->world)[slot].owner != RAIM_NOBODY;
    return count;
}
