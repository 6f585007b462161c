// SPDX-License-Identifier: MIT
// Tests of the checks of a whole map. The oracle for overlaps is crossing edges; for paths between
// spawns, a flood fill of a lattice.
#include "angle.h"
#include "chance.h"
#include "map_check.h"
#include "test.h"

enum { MAX = 40 };

static const raim_box arena = {{-300, -200}, {300, 200}};

struct plan {
    struct raim_obstacle_def obstacles[MAX];
    int obstacle_count;
    raim_vec2 spawns[8];
    int spawn_count;
};

static struct raim_map *make(const struct plan *plan)
{
    struct raim_map_problem problem;
    struct raim_map *map =
        raim_map_create(&(struct raim_map_def){.name = "check",
                                               .border = arena,
                                               .obstacles = plan->obstacles,
                                               .obstacle_count = plan->obstacle_count,
                                               .spawns = plan->spawns,
                                               .spawn_count = plan->spawn_count},
                        &problem);
    assert_non_null(map);
    return map;
}

static void add_box(struct plan *plan, double x0, double y0, double x1, double y1)
{
    plan->obstacles[plan->obstacle_count++] =
        (struct raim_obstacle_def){{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, 4};
}

static void add_spawn(struct plan *plan, double x, double y)
{
    plan->spawns[plan->spawn_count++] = (raim_vec2){x, y};
}

// Adds a star-shaped polygon, which is simple and often has reflex corners.
static void add_star(struct plan *plan, double size)
{
    struct raim_obstacle_def *star = &plan->obstacles[plan->obstacle_count];
    do {
        const raim_vec2 centre = {chance_between(arena.min.x, arena.max.x),
                                  chance_between(arena.min.y, arena.max.y)};
        const raim_angle turn = (raim_angle)chance_int(0, 65535);
        const double flat = chance_between(0.2, 1);
        star->count = chance_int(3, 12);
        for (int i = 0; i < star->count; i++) {
            const raim_vec2 way = raim_angle_direction((raim_angle)(i * 65536 / star->count));
            const raim_vec2 point =
                raim_vec2_scale((raim_vec2){way.x, way.y * flat}, chance_between(0.3, 1) * size);
            const raim_vec2 x = raim_angle_direction(turn);
            star->points[i] = (raim_vec2){centre.x + x.x * point.x - x.y * point.y,
                                          centre.y + x.y * point.x + x.x * point.y};
        }
    } while (raim_map_check_obstacle(arena, star).error != RAIM_MAP_OK);
    plan->obstacle_count++;
}

// --- Overlaps ---

static double side(raim_vec2 a, raim_vec2 b, raim_vec2 point)
{
    return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
}

static bool edges_cross(const struct raim_map_outline *one, const struct raim_map_outline *two)
{
    for (int i = 0; i < one->count; i++)
        for (int j = 0; j < two->count; j++) {
            const raim_vec2 a = one->points[i], b = one->points[(i + 1) % one->count];
            const raim_vec2 c = two->points[j], d = two->points[(j + 1) % two->count];
            if ((side(a, b, c) > 0) != (side(a, b, d) > 0) &&
                (side(c, d, a) > 0) != (side(c, d, b) > 0))
                return true;
        }
    return false;
}

static bool is_inside(const struct raim_map_outline *outline, raim_vec2 point)
{
    bool inside = false;
    for (int i = 0, j = outline->count - 1; i < outline->count; j = i++) {
        const raim_vec2 a = outline->points[i], b = outline->points[j];
        if ((a.y > point.y) != (b.y > point.y) &&
            point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
    }
    return inside;
}

TEST(overlaps_are_those_whose_edges_cross_or_that_lie_inside)
{
    int overlaps = 0, pairs = 0;
    for (int round = 0; round < 400; round++) {
        struct plan plan = {.obstacle_count = 0};
        const double size = chance_between(5, 100);
        for (int i = chance_int(2, 20); i > 0; i--)
            add_star(&plan, size * chance_between(0.2, 1));
        struct raim_map *map = make(&plan);
        for (int i = 0; i < map->outline_count; i++) {
            int next = raim_map_next_overlap(map, i, -1);
            for (int j = 0; j < map->outline_count; j++) {
                const struct raim_map_outline *a = &map->outlines[i], *b = &map->outlines[j];
                const bool expected = i != j && (edges_cross(a, b) || is_inside(a, b->points[0]) ||
                                                 is_inside(b, a->points[0]));
                assert_int_equal(next == j, expected);
                if (next == j)
                    next = raim_map_next_overlap(map, i, j);
                overlaps += expected;
                pairs += i != j;
            }
            assert_int_equal(next, -1);
        }
        raim_map_destroy(map);
    }
    print_message("%d of %d pairs overlap\n", overlaps, pairs);
    assert_true(overlaps > pairs / 100 && overlaps < pairs / 2);
}

TEST(what_shares_an_edge_or_a_corner_only_touches)
{
    struct plan plan = {.obstacle_count = 0};
    add_box(&plan, -100, -50, 0, 50);
    add_box(&plan, 0, -20, 100, 90);
    add_box(&plan, -200, 50, -100, 150);
    // The block fills the mouth of a horseshoe and touches it all around.
    plan.obstacles[plan.obstacle_count++] = (struct raim_obstacle_def){{{100, 90},
                                                                        {200, 90},
                                                                        {200, 190},
                                                                        {180, 190},
                                                                        {180, 110},
                                                                        {120, 110},
                                                                        {120, 190},
                                                                        {100, 190}},
                                                                       8};
    add_box(&plan, 120, 110, 180, 180);
    struct raim_map *map = make(&plan);
    for (int i = 0; i < plan.obstacle_count; i++)
        assert_int_equal(raim_map_next_overlap(map, i, -1), -1);
    raim_map_destroy(map);

    add_box(&plan, 150, 150, 200 - RAIM_MAP_GRID, 160);
    map = make(&plan);
    assert_int_equal(raim_map_next_overlap(map, 5, -1), 3);
    assert_int_equal(raim_map_next_overlap(map, 5, 3), 4);
    assert_int_equal(raim_map_next_overlap(map, 5, 4), -1);
    assert_int_equal(raim_map_next_overlap(map, 3, -1), 5);
    raim_map_destroy(map);
}

// --- Paths ---

static void assert_groups(const struct plan *plan, double radius, const int *expected)
{
    int group[RAIM_MAX_SPAWNS];
    struct raim_map *map = make(plan);
    assert_true(raim_map_group_spawns(map, radius, group));
    for (int i = 0; i < plan->spawn_count; i++)
        assert_int_equal(group[i], expected[i]);
    raim_map_destroy(map);
}

TEST(a_way_is_open_when_it_is_as_wide_as_the_player)
{
    struct plan plan = {.obstacle_count = 0};
    add_spawn(&plan, -200, 0);
    add_spawn(&plan, 200, 0);
    add_spawn(&plan, 200, 100);
    assert_groups(&plan, 20, (int[]){0, 0, 0});
    add_box(&plan, -10, -200, 10, 0);
    assert_groups(&plan, 20, (int[]){0, 0, 0});
    add_box(&plan, -10, 40, 10, 200);
    assert_groups(&plan, 20, (int[]){0, 0, 0});
    assert_groups(&plan, 20.01, (int[]){0, 1, 1});
    // The gap to the border counts, too.
    plan.obstacle_count = 0;
    add_box(&plan, -10, -160, 10, 200);
    assert_groups(&plan, 20, (int[]){0, 0, 0});
    assert_groups(&plan, 20.01, (int[]){0, 1, 1});
}

TEST(on_demand_keep_their_spawns_apart)
{
    struct plan plan = {.obstacle_count = 0};
    add_spawn(&plan, -250, 0);
    add_spawn(&plan, 0, 0);
    add_spawn(&plan, 0, 150);
    add_spawn(&plan, 30, 0);
    // Four walls form a ring with gaps of 30 at its corners.
    add_box(&plan, -70, -100, 70, -80);
    add_box(&plan, -70, 80, 70, 100);
    add_box(&plan, -120, -80, -100, 80);
    add_box(&plan, 100, -80, 120, 80);
    assert_groups(&plan, 14, (int[]){0, 0, 0, 0});
    assert_groups(&plan, 15.1, (int[]){0, 1, 0, 1});
    // One wall runs through the middle of the ring, and one from the ring to the border.
    add_box(&plan, 10, -80, 20, 80);
    assert_groups(&plan, 15.1, (int[]){0, 1, 0, 3});
    assert_groups(&plan, 14, (int[]){0, 0, 0, 0});
    add_box(&plan, -200, -200, -180, 200);
    assert_groups(&plan, 15.1, (int[]){0, 1, 2, 3});
    assert_groups(&plan, 14, (int[]){0, 1, 1, 1});
}

TEST(the_inside_of_one_outline_is_an_arena)
{
    // The outline is a letter C whose opening, on the right, is 30 wide.
    struct plan plan = {.obstacle_count = 1,
                        .obstacles = {{{{100, 15},
                                        {100, 100},
                                        {-100, 100},
                                        {-100, -100},
                                        {100, -100},
                                        {100, -15},
                                        {80, -15},
                                        {80, -80},
                                        {-80, -80},
                                        {-80, 80},
                                        {80, 80},
                                        {80, 15}},
                                       12}}};
    add_spawn(&plan, -40, 10);
    add_spawn(&plan, -200, 10);
    add_spawn(&plan, 200, 10);
    assert_groups(&plan, 15, (int[]){0, 0, 0});
    assert_groups(&plan, 16, (int[]){0, 1, 1});
}

enum { STEP = 5, COLUMNS = 600 / STEP + 1, ROWS = 400 / STEP + 1 };

static raim_vec2 node_at(int index)
{
    return (raim_vec2){arena.min.x + STEP * (index % COLUMNS),
                       arena.min.y + STEP * (index / COLUMNS)};
}

// Labels the connected components of the free nodes of a lattice; -1 is a blocked node.
static void flood(const struct raim_map *map, double radius, int *numbers)
{
    static int queue[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++)
        numbers[i] = raim_map_is_free(map, node_at(i), radius) ? COLUMNS * ROWS : -1;
    for (int start = 0; start < COLUMNS * ROWS; start++) {
        if (numbers[start] != COLUMNS * ROWS)
            continue;
        int first = 0, last = 0;
        numbers[queue[last++] = start] = start;
        while (first < last) {
            const int at = queue[first++], x = at % COLUMNS;
            const int neighbours[4] = {x > 0 ? at - 1 : -1, x < COLUMNS - 1 ? at + 1 : -1,
                                       at - COLUMNS, at + COLUMNS};
            for (int i = 0; i < 4; i++) {
                const int next = neighbours[i];
                if (next >= 0 && next < COLUMNS * ROWS && numbers[next] == COLUMNS * ROWS)
                    numbers[queue[last++] = next] = start;
            }
        }
    }
}

// The floods bound the result from both sides. A circle that is free at two adjacent nodes with
// half a step to spare is free between them. Where a circle passes from cell to cell, a circle
// smaller by a diagonal is free at the corners of the cells.
TEST(ways_agree_with_floods)
{
    static int sure[COLUMNS * ROWS], possible[COLUMNS * ROWS];
    int apart = 0, together = 0;
    for (int round = 0; round < 150; round++) {
        struct plan plan = {.obstacle_count = 0};
        const double radius = chance_between(10, 25), size = chance_between(20, 120);
        for (int i = chance_int(5, MAX); i > 0; i--)
            add_star(&plan, size * chance_between(0.3, 1));
        struct raim_map *map = make(&plan);
        flood(map, radius + STEP / 2.0, sure);
        flood(map, radius - STEP * 1.4143, possible);
        int nodes[8];
        for (int attempt = 0; attempt < 1000 && plan.spawn_count < 8; attempt++) {
            const int node = chance_int(0, COLUMNS * ROWS - 1);
            nodes[plan.spawn_count] = node;
            if (sure[node] >= 0)
                plan.spawns[plan.spawn_count++] = node_at(node);
        }
        raim_map_destroy(map);
        map = make(&plan);
        int group[RAIM_MAX_SPAWNS];
        assert_true(raim_map_group_spawns(map, radius, group));
        for (int i = 0; i < plan.spawn_count; i++)
            for (int j = 0; j < i; j++) {
                assert_true(group[i] == group[j] || sure[nodes[i]] != sure[nodes[j]]);
                assert_true(group[i] != group[j] || possible[nodes[i]] == possible[nodes[j]]);
                apart += group[i] != group[j];
                together += group[i] == group[j];
            }
        raim_map_destroy(map);
    }
    print_message("%d pairs apart, %d together\n", apart, together);
    assert_true(apart > 200 && together > 200);
}
