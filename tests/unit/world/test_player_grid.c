// SPDX-License-Identifier: MIT
// Tests of the players' grid. The oracle is a look at every player.
#include "chance.h"
#include "grid_move.h"
#include "player_grid.h"
#include "test.h"
#include "world.h"

#include <math.h>

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

// --- Grid move ---

// Tests of runs and pushes on the grid. The oracle is the same movement without the grid.

static const raim_box border = {{-1000, -600}, {1000, 600}};

// The eight directions, counter-clockwise.
static const int8_t ways[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                  {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

static struct raim_map *make_map(const struct raim_obstacle_def *obstacles, int count)
{
    const struct raim_map_def def = {
        .name = "grid_move", .border = border, .obstacles = obstacles, .obstacle_count = count};
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(&def, &problem);
    assert_non_null(map);
    return map;
}

static raim_vec2 chance_position(double margin)
{
    return (raim_vec2){chance_between(border.min.x + margin, border.max.x - margin),
                       chance_between(border.min.y + margin, border.max.y - margin)};
}

// Returns a slim or round polygon with corners up to `size` from its centre, `margin` from the
// border.
static struct raim_obstacle_def chance_obstacle(double size, double margin)
{
    struct raim_obstacle_def obstacle;
    do {
        const raim_vec2 middle = chance_position(size + margin);
        const double turn = chance_between(0, 2 * acos(-1));
        const double height = size * chance_between(0.1, 1);
        obstacle.count = chance_int(3, 8);
        for (int i = 0; i < obstacle.count; i++) {
            const double angle = (i + chance_between(-0.3, 0.3)) * 2 * acos(-1) / obstacle.count;
            const double x = size * cos(angle), y = height * sin(angle);
            obstacle.points[i] = (raim_vec2){middle.x + x * cos(turn) - y * sin(turn),
                                             middle.y + x * sin(turn) + y * cos(turn)};
        }
    } while (raim_map_check_obstacle(border, &obstacle).error != RAIM_MAP_OK);
    return obstacle;
}

// Creates overlapping obstacles with corners of every angle between them.
static struct raim_map *chance_map(void)
{
    static struct raim_obstacle_def obstacles[60];
    const int count = chance_int(1, 60);
    const double size = chance_between(20, 200);
    for (int i = 0; i < count; i++)
        obstacles[i] = chance_obstacle(size, 1);
    return make_map(obstacles, count);
}

// Returns false when hardly any room is left.
static bool chance_free(const struct raim_map *map, double radius, raim_vec2 *position)
{
    for (int attempt = 0; attempt < 1000; attempt++) {
        *position = raim_map_round(chance_position(radius));
        if (raim_map_is_free(map, *position, radius))
            return true;
    }
    return false;
}

static double chance_radius(void)
{
    return chance_int(0, 1) == 0 ? 20 : chance_between(4, 60);
}

// Returns the run of a player in one tick under random rules, in one of the eight directions.
static raim_vec2 chance_direction(void)
{
    static const double speeds[] = {10, 40, 300, 600, 2000};
    static const uint32_t rates[] = {10, 30, 60, 128, 240};
    raim_rules rules = raim_rules_default();
    rules.player_speed = speeds[chance_int(0, 4)];
    const struct raim_stride stride = raim_world_stride(&rules, rates[chance_int(0, 4)]);
    const int way = chance_int(0, 7);
    const double length = (way % 2 == 0 ? stride.straight : stride.diagonal) * RAIM_MAP_GRID;
    return (raim_vec2){ways[way][0] * length, ways[way][1] * length};
}

static bool is_same(raim_vec2 a, raim_vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

static double distance(raim_vec2 a, raim_vec2 b)
{
    return sqrt(raim_vec2_distance_squared(a, b));
}

static void check(const struct raim_map *map, raim_vec2 from, raim_vec2 to, raim_vec2 way,
                  double radius)
{
    assert_true(is_same(to, raim_map_round(to)));
    assert_true(raim_map_is_free(map, to, radius));
    if (raim_vec2_length(way) < radius / 2)
        assert_true(raim_map_sees(map, from, to));
}

TEST(runs_and_pushes_end_free_on_the_grid_and_behind_nothing)
{
    long hindered = 0;
    for (int round = 0; round < chance_rounds(60); round++) {
        struct raim_map *map = chance_map();
        const double radius = chance_radius();
        raim_vec2 position, way = chance_direction();
        bool has_room = chance_free(map, radius, &position);
        for (uint32_t tick = 0; has_room && tick < 5000; tick++) {
            if (chance_int(0, 19) == 0)
                way = chance_direction();
            if (chance_int(0, 499) == 0)
                has_room = chance_free(map, radius, &position);
            const raim_vec2 run = raim_grid_move_run(map, position, way, radius, tick);
            check(map, position, run, way, radius);
            hindered += !is_same(run, raim_vec2_add(position, way));
            const raim_vec2 push = {chance_between(-radius, radius) / 3,
                                    chance_between(-radius, radius) / 3};
            position = raim_grid_move_push(map, run, push, radius);
            check(map, run, position, push, radius);
        }
        raim_map_destroy(map);
    }
    assert_true(hindered > chance_rounds(10000));
}

TEST(no_player_leaves_an_arena_of_thin_walls)
{
    const double thin = RAIM_MAP_GRID;
    const raim_vec2 corners[4] = {{-100, -13}, {40, -140}, {130, 50}, {-50, 120}};
    struct raim_obstacle_def walls[4];
    for (int i = 0; i < 4; i++) {
        const raim_vec2 a = corners[i], b = corners[(i + 1) % 4];
        walls[i] = (struct raim_obstacle_def){
            {a, b, {b.x + thin, b.y + thin}, {a.x + thin, a.y + thin}}, 4};
    }
    struct raim_map *map = make_map(walls, 4);
    raim_vec2 position = {0, 0};
    for (int tick = 0; tick < chance_rounds(100000); tick++) {
        position = raim_grid_move_run(map, position, chance_direction(), 20, (uint32_t)tick);
        const raim_vec2 push = {chance_between(-20, 20), chance_between(-20, 20)};
        position = raim_grid_move_push(map, position, push, 20);
        for (int i = 0; i < 4; i++) {
            const raim_vec2 side = raim_vec2_sub(corners[(i + 1) % 4], corners[i]);
            assert_true(raim_vec2_cross(side, raim_vec2_sub(position, corners[i])) > 0);
        }
    }
    raim_map_destroy(map);
}

// Runs against a wall of any slant in every direction: the slide goes as far as without the grid,
// except for the distance to the wall and for speeds of one to three steps per tick, which are
// rounded.
TEST(a_slide_is_as_fast_as_without_the_grid)
{
    enum { TICKS = 400 };
    int slides = 0, slow = 0;
    while (slides < chance_rounds(3000)) {
        const double angle = chance_between(0, 2 * acos(-1));
        const raim_vec2 along = {cos(angle), sin(angle)}, out = {sin(angle), -cos(angle)};
        const raim_vec2 behind = raim_vec2_scale(out, -100);
        const raim_vec2 a = raim_vec2_scale(along, -450), b = raim_vec2_scale(along, 450);
        const struct raim_obstacle_def wall = {
            {a, b, raim_vec2_add(b, behind), raim_vec2_add(a, behind)}, 4};
        struct raim_map *map = make_map(&wall, 1);
        const raim_vec2 way = chance_direction();
        const double speed = fabs(raim_vec2_dot(way, along)) * RAIM_MAP_STEPS; // steps a tick
        raim_vec2 position = raim_map_round(raim_vec2_add(
            raim_vec2_scale(along, chance_between(-100, 100)), raim_vec2_scale(out, 20.05)));
        const double total = speed * TICKS / RAIM_MAP_STEPS;
        if (raim_vec2_dot(way, out) < 0 && total > 3 && total < 250) {
            const raim_vec2 start = position;
            for (uint32_t tick = 0; tick < TICKS; tick++)
                position = raim_grid_move_run(map, position, way, 20, tick);
            const double gone = raim_vec2_dot(raim_vec2_sub(position, start), along) *
                                (raim_vec2_dot(way, along) > 0 ? 1 : -1);
            assert_true(gone > 0.6 * total - 1 && gone < 1.5 * total + 0.5);
            slides++;
            slow += speed < 1;
        }
        raim_map_destroy(map);
    }
    assert_true(slow > chance_rounds(300));
}

// Runs in one direction. Returns true once the player has stood still for some time. It must not
// return to an earlier position, which would be trembling.
static bool comes_to_rest(const struct raim_map *map, raim_vec2 *position, raim_vec2 way,
                          double radius)
{
    enum { TICKS = 600, LAST = 64 };
    raim_vec2 last[LAST] = {{0}};
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        *position = raim_grid_move_run(map, *position, way, radius, tick);
        last[tick % LAST] = *position;
    }
    int moves = 0;
    for (int i = 1; i < LAST; i++) {
        const raim_vec2 at = last[(TICKS + i) % LAST], before = last[(TICKS + i - 1) % LAST];
        if (is_same(at, before))
            continue;
        moves++;
        for (int j = 0; j < i; j++)
            assert_false(is_same(at, last[(TICKS + j) % LAST]));
    }
    return moves == 0;
}

TEST(a_blocked_run_comes_to_rest)
{
    int rests = 0;
    for (int round = 0; round < chance_rounds(30); round++) {
        struct raim_map *map = chance_map();
        const double radius = chance_radius();
        raim_vec2 position;
        for (int i = 0; i < 40 && chance_free(map, radius, &position); i++)
            rests += comes_to_rest(map, &position, chance_direction(), radius);
        raim_map_destroy(map);
    }
    assert_true(rests > chance_rounds(300));
}

// Among obstacles with room between them, a player at rest would rest without the grid, too.
TEST(a_slide_that_works_without_the_grid_works_on_it)
{
    enum { OBSTACLES = 12 };
    int rests = 0;
    for (int round = 0; round < chance_rounds(60); round++) {
        const double radius = chance_radius(), size = chance_between(10, 60);
        const double apart = 2 * (size + radius) + 1;
        struct raim_obstacle_def obstacles[OBSTACLES];
        int count = 0;
        for (int attempt = 0; attempt < 100 && count < OBSTACLES; attempt++) {
            obstacles[count] = chance_obstacle(size, 2 * radius + 1);
            bool fits = true;
            for (int i = 0; i < count; i++)
                for (int p = 0; p < obstacles[i].count; p++)
                    fits = fits && distance(obstacles[i].points[p], obstacles[count].points[0]) >
                                       apart + 2 * size;
            count += fits;
        }
        struct raim_map *map = make_map(obstacles, count);
        raim_vec2 position;
        for (int i = 0; i < 40 && chance_free(map, radius, &position); i++) {
            const raim_vec2 way = chance_direction();
            if (!comes_to_rest(map, &position, way, radius))
                continue;
            rests++;
            raim_vec2 freely = position;
            for (int tick = 0; tick < 100; tick++)
                freely = raim_map_move(map, freely, way, radius);
            // On the grid, a slide that is slow at first may take long to begin.
            raim_vec2 slowly = position;
            for (uint32_t tick = 0; tick < 5000 && is_same(slowly, position); tick++)
                slowly = raim_grid_move_run(map, slowly, way, radius, tick);
            assert_true(distance(freely, position) < 4 * RAIM_MAP_GRID ||
                        !is_same(slowly, position));
        }
        raim_map_destroy(map);
    }
    assert_true(rests > chance_rounds(500));
}

static raim_vec2 turn_by(double angle, raim_vec2 point)
{
    return (raim_vec2){point.x * cos(angle) - point.y * sin(angle),
                       point.x * sin(angle) + point.y * cos(angle)};
}

// Two walls with a random rotation meet at the origin, each rising by `slope`. A player that runs
// in gets close to the point where it touches both, up to the part that is too narrow for the grid.
TEST(a_nook_is_filled)
{
    const double slopes[] = {2, 1, 0.5, 0.25, 0.1, 0.05};
    for (int round = 0; round < chance_rounds(300); round++) {
        const double slope = slopes[round % 6];
        const double length = fmin(500, 300 / slope), rise = length * slope;
        const double angle = chance_between(-0.4, 0.4);
        const raim_vec2 walls[2][4] = {{{0, 0}, {-length, rise}, {-length, rise + 40}, {0, 40}},
                                       {{0, 0}, {0, -40}, {-length, -rise - 40}, {-length, -rise}}};
        struct raim_obstacle_def wedge[2] = {{.count = 4}, {.count = 4}};
        for (int i = 0; i < 8; i++)
            wedge[i / 4].points[i % 4] =
                raim_vec2_add(turn_by(angle, walls[i / 4][i % 4]), (raim_vec2){500, 0});
        struct raim_map *map = make_map(wedge, 2);
        const double depth = 20 * sqrt(1 + slope * slope) / slope;
        const raim_vec2 end =
            raim_vec2_add(turn_by(angle, (raim_vec2){-depth, 0}), (raim_vec2){500, 0});
        raim_vec2 position = raim_map_round(
            raim_vec2_add(end, turn_by(angle, (raim_vec2){-80, chance_between(-2, 2)})));
        for (uint32_t tick = 0; tick < 300; tick++)
            position = raim_grid_move_run(map, position, (raim_vec2){5, 0}, 20, tick);
        assert_true(distance(position, end) < (3 + 1 / slope) * RAIM_MAP_GRID);
        raim_map_destroy(map);
    }
}

TEST(opposite_pushes_are_alike)
{
    struct raim_map *map = make_map(NULL, 0);
    for (int i = 0; i < 10000; i++) {
        const raim_vec2 from = raim_map_round(chance_position(50));
        const raim_vec2 push = {chance_int(-64, 64) * RAIM_MAP_GRID / 2, chance_between(-9, 9)};
        const raim_vec2 there = raim_grid_move_push(map, from, push, 20);
        const raim_vec2 back = raim_grid_move_push(map, from, raim_vec2_scale(push, -1), 20);
        assert_true(there.x - from.x == from.x - back.x && there.y - from.y == from.y - back.y);
        assert_true(fabs(there.x - from.x) >= fabs(push.x));
    }
    raim_map_destroy(map);
}
