// SPDX-License-Identifier: MIT
// A table whose match is succeeded by another on another map. Allocations are counted.
#pragma once

#include "match_internal.h"
#include "seat_fixture.h"

extern long allocations; // so far

void *__real_malloc(size_t size);

static inline struct raim_map *other_map(void)
{
    const raim_box boxes[] = {
        {{-50, -600}, {50, -200}}, {{-50, 200}, {50, 600}}, {{-700, -20}, {-400, 20}}};
    return fixture_map(boxes, 3);
}

// Transfers the table to a new match with a def, on the other map.
static inline void succeed(struct table *table, struct raim_match_def def, bool keeps_round)
{
    struct raim_map *map = other_map();
    def.map = map;
    def.max_connections = SEATS;
    def.seed = raim_random_next(&chance);
    struct raim_match *next = raim_match_create(&def);
    assert_non_null(next);
    assert_true(raim_match_world(next)->max_players <= SLOTS);
    const long before = allocations;
    raim_match_transfer(next, table->match, keeps_round);
    assert_int_equal(allocations, before);
    raim_match_destroy(table->match);
    raim_map_destroy(table->map);
    table->map = map;
    table->match = next;
    table->def = def;
}

static inline raim_player *player_at(const struct table *table, uint32_t slot)
{
    return &raim_world_players(table->match->world)[slot];
}

static inline raim_player *player_of(const struct table *table, uint32_t handle)
{
    return player_at(table, table->match->clients[handle].slot);
}

static inline struct seat *resume(struct table *table, uint32_t handle, const uint8_t *token)
{
    struct raim_hello hello = {
        .version = RAIM_PROTOCOL_VERSION,
        .resume = true,
        .name = "player",
    };
    memcpy(hello.token, token, sizeof hello.token);
    return connect_seat(table, handle, &hello);
}

static inline void assert_has_all(const struct table *table, const struct seat *seat)
{
    const struct raim_world *world = raim_match_world(table->match);
    assert_int_equal(seat->welcome.max_players, world->max_players);
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *player = player_at(table, slot);
        assert_int_equal(seat->roster[slot].player, player->id);
        if (player->id == RAIM_NOBODY)
            continue;
        assert_int_equal(seat->roster[slot].score, player->score);
        assert_int_equal(seat->roster[slot].deaths, player->deaths);
        assert_string_equal(seat->roster[slot].name, table->match->members[slot].name);
    }
}
