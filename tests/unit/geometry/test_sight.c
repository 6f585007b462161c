// SPDX-License-Identifier: MIT
// Tests of the line of sight from a point to a circle past single polygons.
#include "slow_sight.h"
#include "test.h"

// --- queries ---

static raim_polygon polygon_of(const raim_vec2 *points, int count)
{
    raim_polygon polygon;
    assert_int_equal(raim_polygon_init(&polygon, points, count), RAIM_POLYGON_OK);
    return polygon;
}

static raim_polygon box_of(double x0, double y0, double x1, double y1)
{
    const raim_vec2 points[] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    return polygon_of(points, 4);
}

static void shuffle(raim_polygon *obstacles, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = chance_int(0, i);
        const raim_polygon polygon = obstacles[i];
        obstacles[i] = obstacles[j];
        obstacles[j] = polygon;
    }
}

// Returns a polygon from the same points in the opposite winding and with another first point.
static raim_polygon turned_over(const raim_polygon *polygon)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    const int first = chance_int(0, polygon->count - 1);
    for (int i = 0; i < polygon->count; i++)
        points[i] = polygon->points[(first + polygon->count - i) % polygon->count];
    return polygon_of(points, polygon->count);
}

// --- a circle ---

TEST(a_wall_that_ends_on_the_tangents_hides_all)
{
    for (int i = 0; i < chance_rounds(20000); i++) {
        const raim_vec2 from = {chance_between(-9000, 9000), chance_between(-9000, 9000)};
        const raim_vec2 way = {chance_between(-500, 500), chance_between(300, 500)};
        const raim_vec2 left = {-way.y, way.x};
        const double sine = chance_between(0.01, 0.9), tangent = sine / sqrt(1 - sine * sine);
        const double radius = sine * raim_vec2_length(way);
        const raim_vec2 near = raim_vec2_mad(from, way, 0.1), far = raim_vec2_mad(from, way, 0.11);
        const raim_vec2 points[] = {
            raim_vec2_mad(near, left, -0.1 * tangent), raim_vec2_mad(far, left, -0.11 * tangent),
            raim_vec2_mad(far, left, 0.11 * tangent), raim_vec2_mad(near, left, 0.1 * tangent)};
        const raim_polygon wall = polygon_of(points, 4);
        const raim_vec2 centre = raim_vec2_add(from, way);
        assert_false(sees(&wall, 1, from, centre, radius));
        assert_true(sees(&wall, 1, from, centre, radius * (1 + 1e-9)));
    }
}

TEST(a_wall_along_a_tangent_hides_nothing)
{
    // These values make all points integers, exactly on the tangent.
    static const double triples[][3] = {{3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {7, 24, 25}};
    for (int i = 0; i < chance_rounds(50000); i++) {
        const double *triple = triples[chance_int(0, 3)];
        const double x = chance_int(0, 1) == 0 ? triple[0] : -triple[0];
        const raim_vec2 along = {x, triple[1]}, left = {-triple[1], x};
        const raim_vec2 from = {chance_int(-9000, 9000), chance_int(-9000, 9000)};
        const double radius = chance_int(1, 5), side = chance_int(0, 1) == 0 ? -1 : 1;
        const raim_vec2 centre =
            raim_vec2_mad(raim_vec2_mad(from, along, chance_int(1, 30)), left, side * radius);
        // The obstacle is ahead on the side away from the circle, or behind the viewer on either
        // side.
        const int at = chance_int(0, 1) == 0 ? chance_int(1, 30) : chance_int(-30, -10);
        const double depth = at < 0 && chance_int(0, 1) == 0 ? side : -side;
        const raim_vec2 near = raim_vec2_mad(from, along, at);
        const raim_vec2 far = raim_vec2_mad(near, along, chance_int(1, 9));
        const raim_vec2 points[] = {near, far, raim_vec2_mad(far, left, depth),
                                    raim_vec2_mad(near, left, depth)};
        const raim_polygon wall = polygon_of(points, 4);
        assert_true(sees(&wall, 1, from, centre, radius * triple[2]));
    }
}

TEST(touching_obstacles_hide_by_what_they_cover)
{
    const double hair = RAIM_SWEEP_TOUCH / 2;
    for (double gap = -hair; gap <= hair; gap += hair) {
        const raim_polygon before = box_of(70, -50, 80 - gap, 50);
        assert_false(sees(&before, 1, origin, (raim_vec2){100, 0}, 20));
        const raim_polygon behind = box_of(120 + gap, -50, 130, 50);
        assert_true(sees(&behind, 1, origin, (raim_vec2){100, 0}, 20));
        const raim_polygon beside = box_of(60, 20 + gap, 140, 50);
        assert_true(sees(&beside, 1, origin, (raim_vec2){100, 0}, 20));
    }
}

TEST(a_pinhole_shows_and_a_joint_does_not)
{
    const double gaps[] = {1, 1e-3, 1e-6, 1e-9};
    for (int i = 0; i < 4; i++) {
        raim_polygon walls[] = {box_of(40, -30, 50, 2), box_of(40, 2 + gaps[i], 50, 30)};
        // Through the gap along the line y = 2 + gap / 2.
        const raim_vec2 from = {0, 2 + gaps[i] / 2};
        assert_true(sees(walls, 2, from, (raim_vec2){100, 3}, 20));
        shuffle(walls, 2);
        assert_true(sees(walls, 2, from, (raim_vec2){100, 3}, 20));
        assert_false(sees(walls, 1, origin, (raim_vec2){100, 25}, 1) &&
                     sees(walls + 1, 1, origin, (raim_vec2){100, 25}, 1));
    }
    raim_polygon joined[] = {box_of(40, -30, 50, 2), box_of(40, 2, 50, 30)};
    raim_polygon at_corner[] = {box_of(40, -30, 50, 2), box_of(50, 2, 60, 30)};
    for (int i = 0; i < 1000; i++) {
        const raim_vec2 from = {chance_between(0, 30), chance_between(-9, 9)};
        const raim_vec2 centre = {100, chance_between(-9, 9)};
        shuffle(joined, 2);
        shuffle(at_corner, 2);
        assert_false(sees(joined, 2, from, centre, 5));
        assert_false(sees(joined, 2, (raim_vec2){0, 2}, centre, 5));
        assert_false(sees(at_corner, 2, from, centre, 5));
    }
}

TEST(a_viewer_touching_a_wall_sees_along_it_but_not_through)
{
    const raim_polygon wall = box_of(0, 0, 100, 10);
    const double hair = RAIM_SWEEP_TOUCH / 2;
    for (double gap = -hair; gap <= hair; gap += hair) {
        for (double x = gap < 0 ? 12.5 : 0; x < 100; x += 12.5) {
            const raim_vec2 above = {x, 10 + gap};
            assert_true(sees(&wall, 1, above, (raim_vec2){200, 10}, 5));
            assert_true(sees(&wall, 1, above, (raim_vec2){-200, 10}, 5));
            assert_true(sees(&wall, 1, above, (raim_vec2){50, 200}, 5));
            assert_false(sees(&wall, 1, above, (raim_vec2){50, -200}, 5));
        }
    }
}

TEST(a_viewer_touching_a_corner_does_not_see_through_it)
{
    const raim_polygon wall = box_of(0, 0, 100, 10);
    for (int i = 0; i < chance_rounds(50000); i++) {
        const raim_vec2 from = {chance_between(-3, 0.5) * RAIM_SWEEP_TOUCH,
                                10 + chance_between(-0.5, 3) * RAIM_SWEEP_TOUCH};
        assert_false(sees(&wall, 1, from, (raim_vec2){100, -90}, 20));
        assert_true(sees(&wall, 1, from, (raim_vec2){-90, 100}, 20));
    }
}

TEST(inside_the_circle_all_is_seen_and_inside_an_obstacle_nothing)
{
    const raim_polygon box = box_of(-10, -10, 10, 10);
    assert_true(sees(&box, 1, (raim_vec2){1, 2}, (raim_vec2){5, 5}, 20));
    assert_true(sees(&box, 1, (raim_vec2){20, 0}, (raim_vec2){0, 0}, 20));
    assert_false(sees(&box, 1, (raim_vec2){1, 2}, (raim_vec2){100, 5}, 20));
    assert_false(sees(&box, 1, (raim_vec2){1, 2}, (raim_vec2){40, 5}, 35));
}

// Creates obstacles that each cover one of many adjacent directions and overlap slightly.
static void make_fence(raim_polygon *pickets, int count, double half)
{
    const double width = 2 * half / count, hair = 1e-7;
    for (int i = 0; i < count; i++) {
        const double right = i * width - half - hair, left = (i + 1) * width - half + hair;
        const double near = chance_between(100, 400), far = near + 10;
        const raim_vec2 points[] = {
            {near * cos(left), near * sin(left)},
            {near * cos(right), near * sin(right)},
            {far * cos((right + left) / 2), far * sin((right + left) / 2)},
        };
        pickets[i] = polygon_of(points, 3);
    }
}

TEST(span_overflow_never_changes_the_result)
{
    const raim_vec2 centre = {1000, 0};
    for (int round = 0; round < chance_rounds(2000); round++) {
        raim_polygon pickets[200];
        const int count = chance_int(2, 200);
        make_fence(pickets, count, asin(0.5) + 1e-6);
        shuffle(pickets, count);
        assert_false(sees(pickets, count, origin, centre, 500));
        assert_true(sees(pickets, count - 1, origin, centre, 500));
    }
}

// --- random circles ---

struct scene {
    raim_polygon obstacles[8];
    int count;
    raim_vec2 from, centre;
    double radius;
};

// Returns a box at a fraction of the line of sight, between two offsets to the left of it.
static raim_polygon shutter(const struct scene *scene, double part, double low, double high)
{
    const raim_vec2 way = raim_vec2_sub(scene->centre, scene->from);
    const raim_vec2 left = raim_vec2_scale((raim_vec2){-way.y, way.x}, 1 / raim_vec2_length(way));
    const raim_vec2 front = raim_vec2_mad(scene->from, way, part);
    const raim_vec2 back = raim_vec2_mad(front, way, 2 / raim_vec2_length(way));
    const raim_vec2 points[] = {raim_vec2_mad(front, left, low), raim_vec2_mad(back, left, low),
                                raim_vec2_mad(back, left, high), raim_vec2_mad(front, left, high)};
    return polygon_of(points, 4);
}

// Adds two boxes with a slit of random width between them, which reveals small errors.
static void add_shutters(struct scene *scene)
{
    const double distance = sqrt(raim_vec2_distance_squared(scene->centre, scene->from));
    const double part = chance_between(0.1, 0.3);
    const double reach = part * scene->radius / sqrt(1 - pow(scene->radius / distance, 2));
    const double at = chance_between(-1, 1) * reach;
    const double width = reach * pow(10, chance_between(-6, 0));
    const double all = 2 * reach + 2;
    scene->obstacles[scene->count++] = shutter(scene, part, -all, at);
    scene->obstacles[scene->count++] = shutter(scene, part, at + width, all + reach);
}

// Creates a viewer, a circle of random size, and obstacles that are mostly between them.
static void make_scene(struct scene *scene)
{
    scene->from = chance_near(origin, 10000);
    scene->centre = chance_near(scene->from, pow(10, chance_between(1, 3.2)));
    const raim_vec2 way = raim_vec2_sub(scene->centre, scene->from);
    const double distance = raim_vec2_length(way);
    scene->radius = distance * (chance_int(0, 3) == 0 ? pow(10, chance_between(-6, 0))
                                                      : chance_between(0.01, 0.5));
    scene->count = chance_int(1, 5);
    for (int i = 0; i < scene->count; i++) {
        const double size = distance * pow(10, chance_between(-1.5, 0));
        const double part =
            chance_int(0, 4) == 0 ? chance_between(-0.2, 1.4) : chance_between(0.1, 0.9);
        const raim_vec2 middle = raim_vec2_mad(scene->from, way, part);
        chance_polygon(&scene->obstacles[i],
                       chance_near(middle, scene->radius * fabs(part) + size / 3),
                       size < 4 ? 4 : size);
    }
    if (chance_int(0, 1) == 0)
        add_shutters(scene);
}

// Other tests cover viewers on the outline of an obstacle.
static bool is_clear_of_outlines(const struct scene *scene, bool *is_inside)
{
    double nearest = INFINITY;
    *is_inside = false;
    for (int i = 0; i < scene->count; i++) {
        const double distance = slow_distance(&scene->obstacles[i], scene->from);
        nearest = fmin(nearest, fabs(distance));
        *is_inside = *is_inside || distance < 0;
    }
    return nearest > 1e-6;
}

TEST(a_circle_is_seen_when_a_ray_gets_through)
{
    raim_vec2 ends[8 * RAIM_MAX_POLYGON_POINTS][2];
    int seen_count = 0, inside_count = 0;
    for (int i = 0; i < chance_rounds(250000); i++) {
        struct scene scene;
        bool is_inside;
        make_scene(&scene);
        if (!is_clear_of_outlines(&scene, &is_inside))
            continue;
        const bool seen =
            sees(scene.obstacles, scene.count, scene.from, scene.centre, scene.radius);
        struct segments segments = {ends, 0};
        for (int j = 0; j < scene.count; j++)
            add_outline(&segments, scene.obstacles[j].points, scene.obstacles[j].count);
        if (is_inside)
            assert_false(seen);
        else
            assert_judged(seen, &segments, scene.from, scene.centre, scene.radius);
        seen_count += seen;
        inside_count += is_inside;
    }
    assert_in_range(seen_count, chance_rounds(50000), chance_rounds(200000));
    assert_in_range(inside_count, chance_rounds(2500), chance_rounds(50000));
}

TEST(winding_and_order_change_nothing)
{
    for (int i = 0; i < chance_rounds(50000); i++) {
        struct scene scene;
        bool is_inside;
        make_scene(&scene);
        if (!is_clear_of_outlines(&scene, &is_inside))
            continue;
        const bool seen =
            sees(scene.obstacles, scene.count, scene.from, scene.centre, scene.radius);
        shuffle(scene.obstacles, scene.count);
        for (int j = 0; j < scene.count; j++)
            scene.obstacles[j] = turned_over(&scene.obstacles[j]);
        assert_int_equal(sees(scene.obstacles, scene.count, scene.from, scene.centre, scene.radius),
                         seen);
    }
}
