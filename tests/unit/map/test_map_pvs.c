// SPDX-License-Identifier: MIT
// Tests of the potentially visible set and of reachability. The oracles test every pair of points
// and simulate runs.
#define _GNU_SOURCE
#include "chance_outlines.h"
#include "map_file.h"
#include "map_pvs.h"
#include "test.h"

static const double radius = 20;
static const double stride = 5; // of a player in a tick

enum { SHIPPED = 3, RANDOM = 12, MAPS = SHIPPED + RANDOM };

static struct raim_map *maps[MAPS];

static const raim_box arena = {{-1000, -600}, {1000, 600}};

static struct raim_map *make_map(const struct raim_obstacle_def *obstacles, int count)
{
    struct raim_map_problem problem;
    struct raim_map *map = raim_map_create(
        &(struct raim_map_def){
            .name = "test", .border = arena, .obstacles = obstacles, .obstacle_count = count},
        &problem);
    assert_non_null(map);
    return map;
}

static struct raim_map *chance_map(int count, double size)
{
    struct raim_obstacle_def obstacles[40];
    for (int i = 0; i < count;) {
        const raim_vec2 centre = {chance_between(arena.min.x, arena.max.x),
                                  chance_between(arena.min.y, arena.max.y)};
        obstacles[i].count = chance_outline(obstacles[i].points, centre, size);
        i += raim_map_check_obstacle(arena, &obstacles[i]).error == RAIM_MAP_OK;
    }
    return make_map(obstacles, count);
}

static int make_maps(void **state)
{
    (void)state;
    const char *const names[SHIPPED] = {"duel", "crossfire", "ruins"};
    for (int i = 0; i < SHIPPED; i++) {
        char path[1024];
        struct diagnostics report = {.out = stderr};
        snprintf(path, sizeof path, "%s/config/maps/%s.conf", RAIM_SOURCE_DIR, names[i]);
        maps[i] = map_file_load(path, NULL, radius, &report);
        assert_non_null(maps[i]);
    }
    for (int i = SHIPPED; i < MAPS; i++)
        maps[i] = chance_map(chance_int(3, 40), chance_between(100, 600));
    return 0;
}

static int destroy_maps(void **state)
{
    (void)state;
    for (int i = 0; i < MAPS; i++)
        raim_map_destroy(maps[i]);
    return 0;
}

static raim_vec2 chance_free(const struct raim_map *map, raim_box box, double clearance)
{
    raim_vec2 position;
    do
        position =
            (raim_vec2){chance_between(box.min.x, box.max.x), chance_between(box.min.y, box.max.y)};
    while (!raim_map_is_free(map, position, clearance));
    return position;
}

struct pair {
    const struct raim_map *map;
    raim_vec2 a, b;
};

// Returns two players within each other's view, apart from obstacles, and often near one.
static struct pair chance_pair(int map, double clearance)
{
    struct pair pair = {.map = maps[map]};
    pair.a = chance_free(pair.map, pair.map->border, clearance);
    const raim_vec2 half = {800, 430};
    const raim_box view = {raim_vec2_sub(pair.a, half), raim_vec2_add(pair.a, half)};
    pair.b = chance_free(pair.map, view, clearance);
    return pair;
}

static struct pair chance_hidden_pair(int map)
{
    struct pair pair;
    do
        pair = chance_pair(map, radius);
    while (raim_map_sees_circle(pair.map, pair.a, pair.b, radius));
    return pair;
}

static const raim_vec2 eighth = {0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1};

static raim_vec2 direction_of(int direction)
{
    const raim_vec2 axes[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const raim_vec2 axis = axes[direction / 2 % 4];
    if (direction % 2 == 0)
        return axis;
    return (raim_vec2){axis.x * eighth.x - axis.y * eighth.y,
                       axis.x * eighth.y + axis.y * eighth.x};
}

static raim_vec2 run(const struct raim_map *map, raim_vec2 from, int direction, double distance,
                     double clearance)
{
    for (double left = distance; left > 1e-9; left -= stride)
        from = raim_map_move(
            map, from, raim_vec2_scale(direction_of(direction), fmin(left, stride)), clearance);
    return from;
}

// --- reachable points ---

// Returns the distance from a point to the nearest end of a run of ticks that turns once at most.
static double slow_distance_from_runs(const struct raim_map *map, raim_vec2 from, double distance,
                                      raim_vec2 point)
{
    double nearest = INFINITY;
    for (int first = 0; first < 8; first++)
        for (int second = 0; second < 8; second++)
            for (double turn = 0; turn <= distance; turn += stride) {
                raim_vec2 at = run(map, from, first, turn, radius);
                for (double left = distance - turn; left >= 0; left -= stride) {
                    nearest = fmin(nearest, raim_vec2_distance_squared(at, point));
                    at = run(map, at, second, stride, radius);
                }
            }
    return sqrt(nearest);
}

enum { STEPS = 16 };

struct test_match {
    struct raim_reachability reachability;
    raim_vec2 points[RAIM_RUN_DIRECTIONS * (STEPS + 1)];
};

static void begin(struct test_match *test, const struct raim_map *map, raim_vec2 from, double step)
{
    raim_reachability_begin(&test->reachability, map, from, radius, step, STEPS, test->points);
}

// Computes all points of a reach, and removes those that are not worth testing.
static void compute_all(struct raim_reach *reach)
{
    int count = 0;
    for (int i = 0; i < reach->count; i++) {
        if (!raim_reach_compute(reach, i))
            continue;
        reach->points[count] = reach->points[i];
        reach->choices[count] = reach->choices[i];
        reach->spreads[count++] = 0;
    }
    reach->count = count;
    reach->source = NULL;
}

static void find_reach(const struct raim_map *map, raim_vec2 from, double distance,
                       struct raim_reach *reach)
{
    struct test_match test;
    begin(&test, map, from, distance / STEPS);
    raim_reachability_find(&test.reachability, STEPS, reach);
    compute_all(reach);
}

TEST(reach_is_where_runs_lead)
{
    for (int i = 0; i < chance_rounds(20 * MAPS); i++) {
        const struct raim_map *map = maps[i % MAPS];
        const raim_vec2 from = chance_free(map, map->border, radius);
        const int steps = chance_int(1, STEPS);
        struct test_match test;
        struct raim_reach reach;
        begin(&test, map, from, stride);
        raim_reachability_find(&test.reachability, steps, &reach);
        compute_all(&reach);
        assert_in_range(reach.count, 17, RAIM_REACH_POINTS);
        for (int p = 0; p < reach.count; p++) {
            assert_true(raim_map_is_free(map, reach.points[p], radius));
            const double squared = raim_vec2_distance_squared(reach.centre, reach.points[p]);
            assert_true(sqrt(squared) <= reach.extent + 1e-3);
        }
        const int some = chance_int(0, reach.count - 1);
        const double off = slow_distance_from_runs(map, from, stride * steps, reach.points[some]);
        assert_true(off < stride / 2);
    }
}

// The pairs that a search leaves out lie outside these discs.
TEST(a_point_of_a_reach_is_in_the_disc_that_is_known_of_it)
{
    int computed = 0;
    for (int i = 0; i < chance_rounds(200 * MAPS); i++) {
        const struct raim_map *map = maps[i % MAPS];
        const raim_vec2 from = chance_free(map, map->border, radius);
        const int steps = chance_int(1, STEPS);
        struct test_match test;
        struct raim_reach reach;
        begin(&test, map, from, stride);
        raim_reachability_find(&test.reachability, steps, &reach);
        for (int p = 0; p < reach.count; p++) {
            const raim_vec2 middle = reach.points[p];
            const double spread = reach.spreads[p];
            if (!raim_reach_compute(&reach, p))
                continue;
            assert_true(reach.spreads[p] == 0);
            const double squared = raim_vec2_distance_squared(middle, reach.points[p]);
            assert_true(squared <= spread * spread);
            computed += spread > 0;
        }
    }
    assert_true(computed > chance_rounds(100 * MAPS));
}

TEST(choice_leads_to_where_it_led_in_a_reach)
{
    for (int i = 0; i < chance_rounds(20 * MAPS); i++) {
        const struct raim_map *map = maps[i % MAPS];
        const raim_vec2 from = chance_free(map, map->border, radius);
        struct test_match used, fresh;
        begin(&used, map, from, stride);
        for (int j = 0; j < 20; j++) {
            const int steps = chance_int(0, STEPS);
            struct raim_reach reach;
            begin(&fresh, map, from, stride);
            raim_reachability_find(&fresh.reachability, steps, &reach);
            compute_all(&reach);
            const int some = chance_int(0, reach.count - 1);
            const raim_vec2 at =
                raim_reachability_at(&used.reachability, reach.choices[some], steps);
            assert_true(at.x == reach.points[some].x && at.y == reach.points[some].y);
        }
    }
}

// --- visible pairs ---

// An unlimited view, and the view of a screen.
static const raim_vec2 everything = {1e9, 1e9}, screen = {1600, 861};

static bool slow_could_see(const struct raim_map *map, const struct raim_reach *viewer,
                           const struct raim_reach *target, double size, raim_vec2 view)
{
    for (int i = 0; i < viewer->count; i++)
        for (int j = 0; j < target->count; j++)
            if (raim_is_in_view(view, viewer->points[i], target->points[j], size) &&
                raim_map_sees_circle(map, viewer->points[i], target->points[j], size))
                return true;
    return false;
}

// Asserts that the view ray connects points of the reaches and is free.
static void assert_view_ray(const struct raim_map *map, const struct raim_reach *viewer,
                            const struct raim_reach *target, raim_vec2 view,
                            const struct raim_view_ray *ray)
{
    assert_in_range(ray->from, 0, viewer->count - 1);
    assert_in_range(ray->to, 0, target->count - 1);
    const raim_vec2 from = viewer->points[ray->from], to = target->points[ray->to];
    assert_true(raim_is_in_view(view, from, to, radius));
    assert_true(raim_map_sees_circle(map, from, to, radius));
}

// Returns the index of a random obstacle, or one beyond the last.
static uint16_t chance_blocker(const struct raim_map *map)
{
    return (uint16_t)chance_int(0, map->obstacle_count);
}

// Finds the free lines, then a pair of points on them.
static bool search(const struct raim_map *map, struct raim_reach *viewer, struct raim_reach *target,
                   double target_radius, raim_vec2 view, uint16_t *blocker,
                   struct raim_view_ray *ray)
{
    const struct raim_stabbing_lines_end from = {viewer->centre, viewer->extent, 0};
    const struct raim_stabbing_lines_end to = {target->centre, target->extent, target_radius};
    struct raim_stabbing_lines lines;
    return raim_map_pvs_free_lines(map, &from, &to, blocker, &lines) &&
           raim_map_pvs_could_see(map, &lines, viewer, target, target_radius, view, ray);
}

// The points are so few that every pair may be tested.
TEST(could_see_equals_testing_every_pair)
{
    int hidden = 0, seen = 0;
    for (int i = 0; i < chance_rounds(100 * MAPS); i++) {
        const struct pair pair = chance_hidden_pair(i % MAPS);
        const double distance = chance_between(1, 150);
        struct test_match tables[2];
        begin(&tables[0], pair.map, pair.a, distance / STEPS);
        begin(&tables[1], pair.map, pair.b, distance / STEPS);
        struct raim_reach viewer, target;
        raim_reachability_find(&tables[0].reachability, STEPS, &viewer);
        raim_reachability_find(&tables[1].reachability, STEPS, &target);
        viewer.count = chance_int(1, 9);
        target.count = chance_int(1, 9);
        const raim_vec2 view = chance_int(0, 1) == 0 ? everything : screen;
        struct raim_reach from = viewer, to = target;
        compute_all(&from);
        compute_all(&to);
        const bool expected = slow_could_see(pair.map, &from, &to, radius, view);
        struct raim_view_ray ray;
        uint16_t blocker = chance_blocker(pair.map);
        for (int again = 0; again < 2; again++)
            assert_int_equal(search(pair.map, &viewer, &target, radius, view, &blocker, &ray),
                             expected);
        if (expected)
            assert_view_ray(pair.map, &viewer, &target, view, &ray);
        seen += expected;
        hidden += !expected;
    }
    assert_true(hidden > chance_rounds(10 * MAPS));
    assert_true(seen > chance_rounds(10 * MAPS));
}

// A target may also be the path of a bullet.
TEST(could_see_a_row_of_points_equals_testing_each)
{
    for (int i = 0; i < chance_rounds(100 * MAPS); i++) {
        const struct pair pair = chance_hidden_pair(i % MAPS);
        struct raim_reach viewer, target = {.points = {pair.b}, .count = RAIM_REACH_POINTS};
        find_reach(pair.map, pair.a, chance_between(0, 75), &viewer);
        viewer.count = chance_int(1, 3) < viewer.count ? 3 : 1;
        const raim_vec2 step = {chance_between(-10, 10), chance_between(-10, 10)};
        for (int j = 1; j < target.count; j++) {
            target.points[j] = raim_vec2_add(target.points[j - 1], step);
            if (!raim_map_is_free(pair.map, target.points[j], 4))
                target.count = j;
        }
        const raim_vec2 last = target.points[target.count - 1];
        target.centre = raim_vec2_scale(raim_vec2_add(pair.b, last), 0.5);
        target.extent = sqrt(raim_vec2_distance_squared(target.centre, last));
        struct raim_view_ray ray;
        uint16_t blocker = chance_blocker(pair.map);
        assert_int_equal(search(pair.map, &viewer, &target, 4, everything, &blocker, &ray),
                         slow_could_see(pair.map, &viewer, &target, 4, everything));
    }
}

static bool could_see(const struct pair *pair, double distance)
{
    struct raim_reach viewer, target;
    find_reach(pair->map, pair->a, distance, &viewer);
    find_reach(pair->map, pair->b, distance, &target);
    struct raim_view_ray ray;
    uint16_t blocker = chance_blocker(pair->map);
    const bool found = search(pair->map, &viewer, &target, radius, everything, &blocker, &ray);
    if (found)
        assert_view_ray(pair->map, &viewer, &target, everything, &ray);
    return found;
}

// Returns whether one obstacle hides a player from another one, both of which run a distance.
static bool is_hidden(const struct raim_map *map, raim_vec2 eye, raim_vec2 centre, double size,
                      double distance)
{
    struct raim_stabbing_lines_end from = {eye, distance, 0}, to = {centre, distance, size};
    uint16_t blocker = chance_blocker(map);
    const double slack = raim_map_pvs_occlusion(map, &from, &to, 1, &blocker).slack;
    if (slack < 0)
        return false;
    from.reach = to.reach = distance + chance_between(0, slack);
    assert_true(raim_map_pvs_occlusion_by(map, &from, &to, 1, blocker).slack >= -1e-6);
    return true;
}

static bool are_hidden(const struct raim_map *map, raim_vec2 a, raim_vec2 b, double size,
                       double distance)
{
    return is_hidden(map, a, b, size, distance) && is_hidden(map, b, a, size, distance);
}

// Returns whether runs that turn once reveal the target.
static bool slow_is_revealed(const struct pair *pair, double distance)
{
    enum { MAX = 8 * 8 * 4 };
    static raim_vec2 ends[2][MAX];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < MAX; i++) {
            const double turn = distance * (i / 64) / 4;
            const raim_vec2 from = side == 0 ? pair->a : pair->b;
            const raim_vec2 at = run(pair->map, from, i % 8, turn, radius);
            ends[side][i] = run(pair->map, at, i / 8 % 8, distance - turn, radius);
        }
    for (int i = 0; i < MAX; i++) {
        const double farthest = radius + 1.1 * distance;
        if (!raim_map_sees_circle(pair->map, ends[0][i], pair->b, farthest))
            continue;
        for (int j = 0; j < MAX; j++)
            if (raim_map_sees_circle(pair->map, ends[0][i], ends[1][j], radius))
                return true;
    }
    return false;
}

TEST(could_see_misses_few_revealed_pairs)
{
    int found = 0, missed = 0;
    for (int i = 0; i < 150 * SHIPPED; i++) {
        const struct pair pair = chance_hidden_pair(i % SHIPPED);
        const double distance = chance_between(5, 75);
        if (could_see(&pair, distance))
            found++;
        else
            missed += !are_hidden(pair.map, pair.a, pair.b, radius, distance) &&
                      slow_is_revealed(&pair, distance);
    }
    assert_true(found > 50);
    assert_true(missed * 30 <= found);
}

// --- hidden pairs ---

// Simulates two players that run at random, rarely turn, and stay within the distance of their
// start. Returns whether they see each other.
static bool meets_by_chance(const struct pair *pair, double size, double distance)
{
    raim_vec2 a = pair->a, b = pair->b;
    int run_a = chance_int(0, 7), run_b = chance_int(0, 7);
    for (double ran = stride; ran <= distance; ran += stride) {
        if (chance_int(0, 9) == 0)
            run_a += chance_int(1, 3) - 2;
        if (chance_int(0, 9) == 0)
            run_b += chance_int(1, 3) - 2;
        a = raim_map_move(pair->map, a, raim_vec2_scale(direction_of(run_a + 8), stride), size);
        b = raim_map_move(pair->map, b, raim_vec2_scale(direction_of(run_b + 8), stride), size);
        run_a = (run_a + 8) % 8;
        run_b = (run_b + 8) % 8;
        if (raim_vec2_distance_squared(a, pair->a) > distance * distance ||
            raim_vec2_distance_squared(b, pair->b) > distance * distance)
            return false;
        if (raim_map_sees_circle(pair->map, a, b, size) ||
            raim_map_sees_circle(pair->map, b, a, size))
            return true;
    }
    return false;
}

TEST(hidden_players_meet_by_no_run)
{
    int hidden = 0;
    for (int i = 0; i < chance_rounds(100000); i++) {
        const double size = chance_int(0, 3) == 0 ? chance_between(4, 40) : radius;
        const struct pair pair = chance_pair(i % MAPS, size);
        const double distance = chance_between(0, 120);
        if (!are_hidden(pair.map, pair.a, pair.b, size, distance))
            continue;
        hidden++;
        assert_false(raim_map_sees_circle(pair.map, pair.a, pair.b, size));
        for (int j = 0; j < 4; j++)
            assert_false(meets_by_chance(&pair, size, distance));
    }
    assert_true(hidden > chance_rounds(5000));
}

// Hidden players cannot see each other by a run of the distance, nor by a shorter one.
TEST(hidden_players_could_not_see_each_other)
{
    int hidden = 0;
    for (int i = 0; i < chance_rounds(400 * MAPS); i++) {
        const struct pair pair = chance_hidden_pair(i % MAPS);
        const double distance = chance_between(5, 150);
        if (!are_hidden(pair.map, pair.a, pair.b, radius, distance))
            continue;
        hidden++;
        // Rounding a corner lengthens a run slightly.
        assert_false(could_see(&pair, distance - 0.5));
        assert_false(could_see(&pair, chance_between(0, distance - 0.5)));
        assert_true(are_hidden(pair.map, pair.b, pair.a, radius, distance));
    }
    assert_true(hidden > chance_rounds(20 * MAPS));
}

// --- hand-made maps ---

TEST(a_visible_player_could_be_seen)
{
    struct raim_map *map = make_map(NULL, 0);
    for (int x = 0; x <= 800; x += 10) {
        const struct pair pair = {map, {0, 0}, {x, 3}};
        assert_true(could_see(&pair, 0));
        assert_true(could_see(&pair, 75));
        assert_false(are_hidden(map, pair.a, pair.b, radius, 0));
        assert_false(are_hidden(map, pair.a, pair.b, radius, 75));
    }
    raim_map_destroy(map);
}

TEST_GROUP(make_maps, destroy_maps)
