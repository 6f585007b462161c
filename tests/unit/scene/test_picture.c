// SPDX-License-Identifier: MIT
// What is to be seen of a moment: the view, and what walls hide of it, where they hide.
#include "picture.h"

#include "arena_fixture.h"
#include "test.h"

// The own player at the origin, a wall beside it, somebody and a bullet behind the wall, and
// somebody and a bullet above, in the open, where one is just inside of the view and one is not.
static void fill(struct picture *picture, const struct raim_map *map, bool sight)
{
    *picture = (struct picture){
        .map = map,
        .view = {1600, 861},
        .sight = sight,
        .player_radius = 20,
        .bullet_radius = 4,
        .player_count = 4,
        .players = {{.id = 1, .own = true},
                    {.id = 2, .position = {300, 0}},
                    {.id = 3, .position = {0, 430}},
                    {.id = 4, .position = {0, 452}}},
        .bullet_count = 2,
        .bullets = {{.owner = 2, .position = {250, 10}}, {.owner = 3, .position = {0, 100}}},
    };
}

static void assert_left(const struct picture *picture, const raim_player_id *players,
                        uint32_t count, uint32_t bullets)
{
    assert_int_equal(picture->player_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(picture->players[i].id, players[i]);
    assert_int_equal(picture->bullet_count, bullets);
}

TEST(walls_hide_only_where_the_arena_has_sight)
{
    static struct picture picture;
    const raim_box wall = {{100, -200}, {150, 200}};
    struct raim_map *map = fixture_map(&wall, 1);
    fill(&picture, map, true);
    picture_hide_unseen(&picture);
    assert_left(&picture, (raim_player_id[]){1, 3}, 2, 1);
    fill(&picture, map, false);
    picture_hide_unseen(&picture);
    assert_left(&picture, (raim_player_id[]){1, 2, 3}, 3, 2);
    raim_map_destroy(map);
}

TEST(between_two_moments_all_move_but_over_a_spawn)
{
    static struct picture before, after, between;
    before = (struct picture){
        .moment_s = 1,
        .player_count = 4,
        .players = {{.id = 1024, .life = 1, .own = true, .position = {10, 20}, .aim = 65436},
                    {.id = 1025, .life = 7, .position = {0, 0}},
                    {.id = 1026, .life = 2, .position = {50, 50}},
                    {.id = 1028, .life = 1, .position = {8, 8}}},
        .bullet_count = 1,
        .bullets = {{.owner = 1024, .position = {100, 0}, .velocity = {900, -60}}},
    };
    after = (struct picture){
        .moment_s = 1.5,
        .player_count = 4,
        .players = {{.id = 1024, .life = 1, .own = true, .position = {14, 24}, .aim = 100},
                    {.id = 1025, .life = 8, .position = {400, 0}},
                    {.id = 1027, .life = 2, .position = {90, 90}},
                    {.id = 1028, .life = 1, .position = {12, 0}}},
    };
    picture_between(&before, &after, 0.25, &between);
    assert_float_equal(between.moment_s, 1.125, 1e-9);
    assert_int_equal(between.player_count, 4);
    assert_float_equal(between.players[0].position.x, 11, 1e-9);
    assert_float_equal(between.players[0].position.y, 21, 1e-9);
    assert_int_equal(between.players[0].aim, 65486); // by the shorter way, through 0
    assert_float_equal(between.eye.x, 11, 1e-9);
    assert_float_equal(between.players[1].position.x, 0, 0);  // spawned in between
    assert_float_equal(between.players[2].position.x, 50, 0); // gone in between
    assert_float_equal(between.players[3].position.y, 6, 1e-9);
    assert_float_equal(between.bullets[0].position.x, 212.5, 1e-9);
    assert_float_equal(between.bullets[0].position.y, -7.5, 1e-9);
}
