// SPDX-License-Identifier: MIT
// Tests of the players' grid. The oracle is a look at every player.
//     test_player_grid [--seed N]
#include "chance.h"
#include "player_grid.h"
#include "test.h"

struct crowd {
    raim_box border;
    struct raim_player_grid grid;
    raim_player players[RAIM_MAX_PLAYERS];
    bool is_in[RAIM_MAX_PLAYERS];
    int count;
};

static raim_vec2 random_point(raim_box box)
{
    return (raim_vec2){chance_between(box.min.x, box.max.x), chance_between(box.min.y, box.max.y)};
}

// Fills a grid of random shape. Some players stand at one point or in the corners of the border.
static void gather(struct crowd *crowd)
{
    const double width = exp(chance_between(log(200), log(32000)));
    const double height = exp(chance_between(log(200), log(32000)));
    crowd->border = (raim_box){{-width / 2, -height / 2}, {width / 2, height / 2}};
    crowd->count = chance_int(0, 3) > 0 ? chance_int(1, 60) : chance_int(1, RAIM_MAX_PLAYERS);
    raim_player_grid_clear(&crowd->grid, crowd->border, (uint32_t)crowd->count,
                           chance_between(1, 500));
    raim_vec2 last = {0, 0};
    for (int i = 0; i < crowd->count; i++) {
        const int kind = chance_int(0, 9);
        last = kind == 0 ? crowd->border.max : kind == 1 ? last : random_point(crowd->border);
        crowd->players[i].position = last;
        crowd->is_in[i] = true;
        raim_player_grid_add(&crowd->grid, (uint32_t)i, last);
    }
}

static void leave(struct crowd *crowd, int slot)
{
    raim_player_grid_remove(&crowd->grid, (uint32_t)slot, crowd->players[slot].position);
    crowd->is_in[slot] = false;
}

static double slow_nearest_squared(const struct crowd *crowd, raim_vec2 point)
{
    double nearest = INFINITY;
    for (int i = 0; i < crowd->count; i++)
        if (crowd->is_in[i])
            nearest = fmin(nearest, raim_vec2_distance_squared(crowd->players[i].position, point));
    return nearest;
}

TEST(the_nearest_player_is_found)
{
    static struct crowd crowd;
    for (int round = 0; round < 300; round++) {
        gather(&crowd);
        for (int i = 0; i < 50; i++) {
            const int slot = chance_int(0, crowd.count - 1);
            if (crowd.is_in[slot] && chance_int(0, 3) == 0)
                leave(&crowd, slot);
            const raim_vec2 point = random_point(crowd.border);
            const double nearest = slow_nearest_squared(&crowd, point);
            assert_true(raim_player_grid_nearest_squared(&crowd.grid, crowd.players, point, 0,
                                                         INFINITY) == nearest);
            const double side = chance_between(0, 1000);
            const double enough = side * side;
            const double found = raim_player_grid_nearest_squared(&crowd.grid, crowd.players, point,
                                                                  enough, INFINITY);
            assert_true(nearest < enough ? found >= nearest && found < enough : found == nearest);
            assert_true(raim_player_grid_nearest_squared(&crowd.grid, crowd.players, point, 0,
                                                         enough) == fmin(nearest, enough));
        }
    }
}

TEST(a_point_near_a_player_is_marked_and_most_others_are_not)
{
    static struct crowd crowd;
    int near = 0, marked = 0;
    for (int round = 0; round < 300; round++) {
        gather(&crowd);
        const double distance = chance_between(0, 60);
        for (int i = 0; i < crowd.count; i++)
            raim_player_grid_mark(&crowd.grid, crowd.players[i].position, distance);
        for (int i = 0; i < 300; i++) {
            const raim_vec2 point = random_point(crowd.border);
            const raim_box reach =
                raim_box_grow((raim_box){point, point}, distance + crowd.grid.side);
            bool is_near = false, is_in_reach = false;
            for (int j = 0; j < crowd.count; j++) {
                const raim_vec2 position = crowd.players[j].position;
                is_near |= fabs(position.x - point.x) <= distance &&
                           fabs(position.y - point.y) <= distance;
                is_in_reach |= raim_box_contains(reach, position);
            }
            const bool is_marked = raim_player_grid_is_marked(&crowd.grid, point);
            assert_true(is_marked || !is_near);
            assert_true(is_in_reach || !is_marked);
            near += is_near;
            marked += is_marked;
        }
    }
    assert_true(near > 0 && marked > near);
}
