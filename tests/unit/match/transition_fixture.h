// SPDX-License-Identifier: MIT
// A table whose match is succeeded by another on another map. Allocations are counted.
#pragma once

#include "match_internal.h"
#include "peer_fixture.h"

extern long allocations; // so far

void *__real_malloc(size_t size);

static inline struct raim_map *other_map(void)
{
    const raim_box boxes[] = {
        {{-50, -600}, {50, -200}}, {{-50, 200}, {50, 600}}, {{-700, -20}, {-400, 20}}};
    return fixture_map(boxes, 3);
}

// Transfers the table to a new match with a def, on the other map.
static inline void succeed(struct test_match *test, struct raim_match_def def, bool keeps_round)
{
    struct raim_map *map = other_map();
    def.map = map;
    def.max_connections = PEERS;
    def.seed = raim_random_next(&chance);
    struct raim_match *next = raim_match_create(&def);
    assert_non_null(next);
    assert_true(raim_match_world(next)->max_players <= SLOTS);
    const long before = allocations;
    raim_match_transfer(next, test->match, keeps_round);
    assert_int_equal(allocations, before);
    raim_match_destroy(test->match);
    raim_map_destroy(test->map);
    test->map = map;
    test->match = next;
    test->def = def;
}

static inline raim_player *player_at(const struct test_match *test, uint32_t slot)
{
    return &raim_world_players(test->match->world)[slot];
}

static inline raim_player *player_of(const struct test_match *test, uint32_t handle)
{
    return player_at(test, test->match->connections[handle].slot);
}

static inline void assert_has_all(const struct test_match *test, const struct peer *peer)
{
    const struct raim_world *world = raim_match_world(test->match);
    assert_int_equal(peer->welcome.max_players, world->max_players);
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *player = player_at(test, slot);
        assert_int_equal(peer->roster[slot].player, player->id);
        if (player->id == RAIM_NOBODY)
            continue;
        assert_int_equal(peer->roster[slot].score, player->score);
        assert_int_equal(peer->roster[slot].deaths, player->deaths);
        assert_string_equal(peer->roster[slot].name, test->match->sessions[slot].name);
    }
}
