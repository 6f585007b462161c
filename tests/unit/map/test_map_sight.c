// SPDX-License-Identifier: MIT
// Tests of the visibility queries of a map: circles and the visibility polygon.
#include "slow_sight.h"
#include "test.h"

static const raim_box arena = {{-1000, -600}, {1000, 600}};

static struct raim_map *make_map(const struct raim_obstacle_def *obstacles, int count)
{
    struct raim_map_problem problem;
    const struct raim_map_def def = {
        .name = "test", .border = arena, .obstacles = obstacles, .obstacle_count = count};
    struct raim_map *map = raim_map_create(&def, &problem);
    assert_non_null(map);
    return map;
}

static raim_vec2 chance_point(void)
{
    return (raim_vec2){chance_between(arena.min.x, arena.max.x),
                       chance_between(arena.min.y, arena.max.y)};
}

// Creates obstacles that may overlap: mostly stars, which are cut into many pieces, otherwise
// convex ones.
static struct raim_obstacle_def chance_obstacle(void)
{
    struct raim_obstacle_def obstacle;
    do {
        const raim_vec2 centre = chance_point();
        const double size = chance_between(20, 300);
        if (chance_int(0, 3) == 0) {
            obstacle.count = chance_outline(obstacle.points, centre, size);
            continue;
        }
        obstacle.count = chance_star(obstacle.points, chance_int(3, 20));
        for (int i = 0; i < obstacle.count; i++)
            obstacle.points[i] = raim_vec2_mad(centre, obstacle.points[i], size / 400);
    } while (raim_map_check_obstacle(arena, &obstacle).error != RAIM_MAP_OK);
    return obstacle;
}

enum { MAX_OBSTACLES = 16 };

static struct raim_map *chance_map(void)
{
    struct raim_obstacle_def obstacles[MAX_OBSTACLES];
    const int count = chance_int(0, MAX_OBSTACLES);
    for (int i = 0; i < count; i++)
        obstacles[i] = chance_obstacle();
    return make_map(obstacles, count);
}

static struct segments segments_of(const struct raim_map *map)
{
    static raim_vec2 ends[MAX_OBSTACLES * RAIM_MAX_OUTLINE_POINTS][2];
    struct segments segments = {ends, 0};
    for (int i = 0; i < map->outline_count; i++)
        add_outline(&segments, map->outlines[i].points, map->outlines[i].count);
    return segments;
}

static double slow_distance_to_outlines(const struct raim_map *map, raim_vec2 point)
{
    double nearest = INFINITY;
    for (int i = 0; i < map->outline_count; i++) {
        const struct raim_map_outline *outline = &map->outlines[i];
        nearest = fmin(nearest, slow_outline_distance(outline->points, outline->count, point));
    }
    return nearest;
}

TEST(a_map_shows_circles_past_its_outlines)
{
    int seen_count = 0;
    for (int round = 0; round < chance_rounds(300); round++) {
        struct raim_map *map = chance_map();
        const struct segments segments = segments_of(map);
        for (int i = 0; i < 100; i++) {
            const raim_vec2 from = chance_point(), centre = chance_point();
            const double radius = chance_int(0, 2) == 0 ? chance_between(1, 300) : 20;
            const double distance = slow_distance_to_outlines(map, from);
            const bool seen = raim_map_sees_circle(map, from, centre, radius);
            assert_int_equal(seen, sees(map->obstacles, map->obstacle_count, from, centre, radius));
            seen_count += seen;
            if (raim_vec2_distance_squared(from, centre) <= radius * radius)
                assert_true(seen);
            else if (distance < -1e-6)
                assert_false(seen);
            else if (distance > 1e-6)
                assert_judged(seen, &segments, from, centre, radius);
        }
        raim_map_destroy(map);
    }
    assert_in_range(seen_count, chance_rounds(6000), chance_rounds(24000));
}

// --- the visible area ---

enum { MAX_CORNERS = 4096 };

struct area {
    raim_vec2 from;
    raim_vec2 points[MAX_CORNERS];
    int count;
};

static void compute_area(const struct raim_map *map, raim_vec2 from, raim_box view,
                         struct area *area)
{
    area->from = from;
    area->count = raim_map_visible_area(map, from, view, area->points, MAX_CORNERS);
    assert_in_range(area->count, 0, MAX_CORNERS);
}

static void assert_star_shaped(const struct area *area, raim_box view)
{
    const raim_box around = raim_box_grow(view, 1e-8);
    double turned = 0;
    for (int i = 0; i < area->count; i++) {
        const raim_vec2 a = raim_vec2_sub(area->points[i], area->from);
        const raim_vec2 b = raim_vec2_sub(area->points[(i + 1) % area->count], area->from);
        const double angle = atan2(raim_vec2_cross(a, b), raim_vec2_dot(a, b));
        assert_true(raim_box_contains(around, area->points[i]));
        // A viewer that touches an obstacle has been moved off it by a few touches.
        assert_true(raim_vec2_cross(a, b) >=
                    -8 * RAIM_SWEEP_TOUCH * (raim_vec2_length(a) + raim_vec2_length(b)));
        turned += angle;
    }
    assert_true(fabs(turned - 2 * acos(-1)) < 1e-6);
}

static double area_of(const struct area *area)
{
    return slow_doubled_area(area->points, area->count) / 2;
}

// The oracle is a ray: a point must lie in the area exactly when the ray reaches it, unless the
// point is too near the edge of the area.
static void assert_agrees(const struct raim_map *map, const struct segments *segments,
                          const struct area *area, raim_box view, raim_vec2 point)
{
    const double distance = slow_outline_distance(area->points, area->count, point);
    if (fabs(distance) <= 1e-6 || !raim_box_contains(view, point))
        return;
    assert_int_equal(slow_clear(segments, area->from, point), distance < 0);
    // The map's rays may stop 1e-6 beside a corner. That distance grows behind the corner.
    if (fabs(distance) > 3e-3 && slow_distance_to_outlines(map, area->from) > 1)
        assert_int_equal(raim_map_sees(map, area->from, point), distance < 0);
}

TEST(the_area_is_what_the_map_sees)
{
    static struct area area;
    for (int round = 0; round < chance_rounds(500); round++) {
        struct raim_map *map = chance_map();
        const struct segments segments = segments_of(map);
        for (int i = 0; i < 8; i++) {
            const raim_vec2 from = chance_point();
            raim_box view = raim_box_grow((raim_box){from, from}, chance_between(10, 1000));
            view.min.x -= chance_between(0, 500);
            view.max.y += chance_between(0, 500);
            compute_area(map, from, view, &area);
            const double distance = slow_distance_to_outlines(map, from);
            if (distance < -1e-6)
                assert_int_equal(area.count, 0);
            if (distance < 1e-6)
                continue;
            assert_star_shaped(&area, view);
            for (int j = 0; j < 60; j++)
                assert_agrees(map, &segments, &area, view,
                              (raim_vec2){chance_between(view.min.x, view.max.x),
                                          chance_between(view.min.y, view.max.y)});
            // Points beside the edges reveal errors.
            for (int j = 0; j < 40; j++) {
                const int corner = chance_int(0, area.count - 1);
                const raim_vec2 a = area.points[corner];
                const raim_vec2 b = area.points[(corner + 1) % area.count];
                const raim_vec2 on = raim_vec2_mad(a, raim_vec2_sub(b, a), chance_between(0, 1));
                assert_agrees(map, &segments, &area, view,
                              chance_near(on, pow(10, chance_between(-5, 1))));
            }
        }
        raim_map_destroy(map);
    }
}

TEST(fewer_obstacles_show_no_less)
{
    static struct area area;
    const raim_box view = raim_box_grow(arena, 10);
    for (int round = 0; round < chance_rounds(600); round++) {
        struct raim_obstacle_def obstacles[MAX_OBSTACLES];
        for (int i = 0; i < MAX_OBSTACLES; i++)
            obstacles[i] = chance_obstacle();
        const raim_vec2 from = chance_point();
        double last = 0;
        for (int count = MAX_OBSTACLES; count >= 0; count -= 4) {
            struct raim_map *map = make_map(obstacles, count);
            compute_area(map, from, view, &area);
            assert_true(area_of(&area) >= last - 1e-6);
            last = area_of(&area);
            raim_map_destroy(map);
        }
        assert_int_equal(area.count, 4);
        assert_true(fabs(last - 2020 * 1220) < 1e-6);
    }
}

static struct raim_obstacle_def block(double x0, double y0, double x1, double y1)
{
    return (struct raim_obstacle_def){{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, 4};
}

TEST(obstacles_that_touch_leave_no_slit)
{
    static struct area area;
    // Eight blocks form a ring around a yard: edge to edge, corner to corner, and overlapping.
    const struct raim_obstacle_def ring[] = {
        block(-300, -300, -100, -200), block(-100, -300, 100, -200), block(100, -300, 300, -200),
        block(200, -200, 300, 0),      block(180, -20, 250, 200),    block(-300, 200, 300, 300),
        block(-300, -200, -200, 0),    block(-400, 0, -200, 200)};
    struct raim_map *map = make_map(ring, 8);
    const double wanted = 400 * 400 - 20 * 220;
    for (int i = 0; i < chance_rounds(6000); i++) {
        const raim_vec2 from = {chance_between(-199, 179), chance_between(-199, 199)};
        compute_area(map, from, arena, &area);
        assert_star_shaped(&area, arena);
        assert_true(area_of(&area) < wanted + 1e-6);
        assert_true(area_of(&area) > wanted - 20 * 220);
        assert_false(raim_map_sees_circle(map, from, (raim_vec2){chance_between(-900, 900), 450},
                                          chance_between(1, 149)));
        assert_false(raim_map_sees_circle(map, from, (raim_vec2){-700, chance_between(-500, 500)},
                                          chance_between(1, 299)));
    }
    raim_map_destroy(map);
}

// Returns a point within a touch of a face, and in `before` the point a few touches in front of it.
static raim_vec2 chance_on_face(const struct raim_map_outline *outline, raim_vec2 *before)
{
    const int face = chance_int(0, outline->count - 1);
    const raim_vec2 a = outline->points[face];
    const raim_vec2 along = raim_vec2_sub(outline->points[(face + 1) % outline->count], a);
    const raim_vec2 across =
        raim_vec2_scale((raim_vec2){along.y, -along.x}, 1 / raim_vec2_length(along));
    const raim_vec2 on = raim_vec2_mad(a, along, chance_between(0.01, 0.99));
    *before = raim_vec2_mad(on, across, 3 * RAIM_SWEEP_TOUCH);
    if (slow_outline_distance(outline->points, outline->count, *before) < 0)
        *before = raim_vec2_mad(on, across, -3 * RAIM_SWEEP_TOUCH);
    return chance_near(on, 0.7 * RAIM_SWEEP_TOUCH);
}

TEST(a_viewer_touching_an_obstacle_is_moved_in_front_of_it)
{
    static struct area area;
    for (int round = 0; round < chance_rounds(6000); round++) {
        const struct raim_obstacle_def obstacles[] = {chance_obstacle(), chance_obstacle()};
        struct raim_map *map = make_map(obstacles, 2);
        const struct segments segments = segments_of(map);
        const struct raim_map_outline *other = &map->outlines[1];
        raim_vec2 before;
        const raim_vec2 from = chance_on_face(&map->outlines[0], &before);
        const double distance = slow_outline_distance(other->points, other->count, from);
        compute_area(map, from, arena, &area);
        area.from = before;
        if (distance < -1e-6)
            assert_int_equal(area.count, 0);
        if (distance > 1e-6) {
            assert_star_shaped(&area, arena);
            for (int i = 0; i < 20; i++) {
                const raim_vec2 point = chance_point();
                const double edge = slow_outline_distance(area.points, area.count, point);
                // An offset of a few touches grows with the distance.
                if (fabs(edge) > 1e-3)
                    assert_int_equal(slow_clear(&segments, before, point), edge < 0);
                const double radius = chance_between(1, 30);
                if (edge < -1e-3)
                    assert_true(raim_map_sees_circle(map, from, point, radius));
                if (edge > radius + 1e-3 && raim_box_contains(raim_box_grow(arena, -radius), point))
                    assert_false(raim_map_sees_circle(map, from, point, radius));
            }
        }
        raim_map_destroy(map);
    }
}

TEST(a_small_buffer_gets_the_first_corners)
{
    static struct area area;
    struct raim_map *map = chance_map();
    for (int i = 0; i < 1000; i++) {
        compute_area(map, chance_point(), arena, &area);
        const int capacity = chance_int(0, area.count);
        raim_vec2 *points = malloc((size_t)capacity * sizeof *points + 1);
        assert_int_equal(raim_map_visible_area(map, area.from, arena, points, capacity),
                         area.count);
        assert_memory_equal(points, area.points, (size_t)capacity * sizeof *points);
        free(points);
    }
    raim_map_destroy(map);
}

TEST(outside_the_view_nothing_is_seen)
{
    static struct area area;
    struct raim_map *map = make_map(NULL, 0);
    const raim_box view = {{0, 0}, {100, 100}};
    const raim_vec2 points[] = {{-1, 50}, {0, 50}, {50, 100}, {100, 100}, {50, 101}};
    for (int i = 0; i < 5; i++) {
        compute_area(map, points[i], view, &area);
        assert_int_equal(area.count, 0);
    }
    compute_area(map, (raim_vec2){1e-6, 1e-6}, view, &area);
    assert_int_equal(area.count, 4);
    raim_map_destroy(map);
}
