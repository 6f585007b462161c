// SPDX-License-Identifier: MIT
// What a point sees of a circle and all around, judged by rays between all directions in which
// something begins or ends.
#include "chance_outlines.h"
#include "map.h"
#include "sight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Gaps that look narrower than this, in radians, may be taken for closed or open.
static const double narrow = 1e-10;

// --- asking ---

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

static bool sees(const raim_polygon *obstacles, int count, raim_vec2 from, raim_vec2 centre,
                 double radius)
{
    struct raim_sight sight;
    if (!raim_sight_begin(&sight, from, centre, radius))
        return true;
    do
        for (int i = 0; i < count; i++)
            raim_sight_hide(&sight, &obstacles[i]);
    while (raim_sight_again(&sight));
    return !raim_sight_is_hidden(&sight);
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

// The same polygon from its points in the other winding, beginning with any.
static raim_polygon turned_over(const raim_polygon *polygon)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    const int first = chance_int(0, polygon->count - 1);
    for (int i = 0; i < polygon->count; i++)
        points[i] = polygon->points[(first + polygon->count - i) % polygon->count];
    return polygon_of(points, polygon->count);
}

// --- the judge ---

// Outlines as one list of segments.
struct segments {
    raim_vec2 (*ends)[2];
    int count;
};

static void add_outline(struct segments *segments, const raim_vec2 *points, int count)
{
    for (int i = 0; i < count; i++) {
        segments->ends[segments->count][0] = points[i];
        segments->ends[segments->count++][1] = points[(i + 1) % count];
    }
}

static double slow_cross(raim_vec2 a, raim_vec2 b, raim_vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool slow_clear(const struct segments *segments, raim_vec2 from, raim_vec2 to)
{
    for (int i = 0; i < segments->count; i++) {
        const raim_vec2 a = segments->ends[i][0], b = segments->ends[i][1];
        if ((slow_cross(a, b, from) > 0) != (slow_cross(a, b, to) > 0) &&
            (slow_cross(from, to, a) > 0) != (slow_cross(from, to, b) > 0))
            return false;
    }
    return true;
}

// A cone from a viewer to a circle. Angles count from its middle.
struct cone {
    raim_vec2 from, centre;
    double radius;
    double distance, half;
    double critical[1024]; // angles
    int count;
};

static void add_critical(struct cone *cone, raim_vec2 point)
{
    const raim_vec2 way = raim_vec2_sub(cone->centre, cone->from);
    const raim_vec2 offset = raim_vec2_sub(point, cone->from);
    const double angle = atan2(raim_vec2_cross(way, offset), raim_vec2_dot(way, offset));
    if (fabs(angle) < cone->half)
        cone->critical[cone->count++] = angle;
}

static void add_meetings(struct cone *cone, raim_vec2 a, raim_vec2 b)
{
    const raim_vec2 along = raim_vec2_sub(b, a), out = raim_vec2_sub(a, cone->centre);
    const double squared = raim_vec2_dot(along, along), middle = raim_vec2_dot(out, along);
    const double rest =
        middle * middle - squared * (raim_vec2_dot(out, out) - cone->radius * cone->radius);
    for (int side = -1; rest > 0 && side <= 1; side += 2) {
        const double part = (side * sqrt(rest) - middle) / squared;
        if (part > 0 && part < 1)
            add_critical(cone, raim_vec2_mad(a, along, part));
    }
}

// Where the ray at an angle first meets the circle.
static raim_vec2 meeting_at(const struct cone *cone, double angle)
{
    const double across = cone->distance * sin(angle);
    const double length =
        cone->distance * cos(angle) - sqrt(cone->radius * cone->radius - across * across);
    const raim_vec2 ahead =
        raim_vec2_scale(raim_vec2_sub(cone->centre, cone->from), 1 / cone->distance);
    const raim_vec2 way = {ahead.x * cos(angle) - ahead.y * sin(angle),
                           ahead.x * sin(angle) + ahead.y * cos(angle)};
    return raim_vec2_mad(cone->from, way, length);
}

// The widest gap that a ray gets through, in radians; -1 when none does. Between two neighbouring
// directions in which something begins or ends, one ray tells for all.
static double slow_gap(const struct segments *segments, raim_vec2 from, raim_vec2 centre,
                       double radius)
{
    static struct cone cone;
    cone.from = from;
    cone.centre = centre;
    cone.radius = radius;
    cone.distance = sqrt(raim_vec2_distance_squared(from, centre));
    cone.half = asin(radius / cone.distance);
    cone.count = 0;
    cone.critical[cone.count++] = -cone.half;
    for (int i = 0; i < segments->count; i++) {
        add_critical(&cone, segments->ends[i][0]);
        add_meetings(&cone, segments->ends[i][0], segments->ends[i][1]);
    }
    qsort(cone.critical, (size_t)cone.count, sizeof *cone.critical, slow_compare_doubles);
    cone.critical[cone.count] = cone.half;
    double widest = -1;
    for (int i = 0; i < cone.count && widest < narrow; i++) {
        const double width = cone.critical[i + 1] - cone.critical[i];
        const double angle = (cone.critical[i + 1] + cone.critical[i]) / 2;
        if (width > widest && slow_clear(segments, from, meeting_at(&cone, angle)))
            widest = width;
    }
    return widest;
}

// --- a circle ---

static const raim_vec2 origin = {0, 0};

static void test_a_wall_hides_what_is_wholly_behind_it(void **state)
{
    (void)state;
    const raim_vec2 centre = {100, 0};
    const double behind = 50 * tan(asin(0.2)); // half the cone's width at the wall's back
    const raim_polygon wall = box_of(40, -20, 50, 20);
    assert_false(sees(&wall, 1, origin, centre, 20));
    const raim_polygon exact = box_of(40, -behind, 50, behind);
    assert_false(sees(&exact, 1, origin, centre, 20));
    const raim_polygon low = box_of(40, -20, 50, 40 * tan(asin(0.2)) - 1e-9);
    assert_true(sees(&low, 1, origin, centre, 20));
    assert_true(sees(NULL, 0, origin, centre, 20));
}

static void test_a_wall_that_ends_on_the_tangents_hides_all(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
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

static void test_a_wall_along_a_tangent_hides_nothing(void **state)
{
    (void)state;
    // With these, all points are whole numbers and on the tangent to the bit.
    static const double triples[][3] = {{3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {7, 24, 25}};
    for (int i = 0; i < 100000; i++) {
        const double *triple = triples[chance_int(0, 3)];
        const double x = chance_int(0, 1) == 0 ? triple[0] : -triple[0];
        const raim_vec2 along = {x, triple[1]}, left = {-triple[1], x};
        const raim_vec2 from = {chance_int(-9000, 9000), chance_int(-9000, 9000)};
        const double radius = chance_int(1, 5), side = chance_int(0, 1) == 0 ? -1 : 1;
        const raim_vec2 centre =
            raim_vec2_mad(raim_vec2_mad(from, along, chance_int(1, 30)), left, side * radius);
        // Ahead, on the side away from the circle, or behind, on either side.
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

static void test_what_is_behind_or_beside_hides_nothing(void **state)
{
    (void)state;
    const raim_polygon others[] = {box_of(121, -500, 130, 500), box_of(-30, -500, -20, 500),
                                   box_of(0, 25, 200, 500), box_of(0, -500, 200, -25),
                                   box_of(-10, -5, -1, 5)};
    assert_true(sees(others, 5, origin, (raim_vec2){100, 0}, 20));
    for (int i = 0; i < 5; i++)
        assert_true(sees(&others[i], 1, origin, (raim_vec2){100, 0}, 20));
}

static void test_touching_obstacles_hide_by_what_they_cover(void **state)
{
    (void)state;
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

static void test_a_pinhole_shows_and_a_joint_does_not(void **state)
{
    (void)state;
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

static void test_who_touches_a_wall_sees_along_it_and_not_through(void **state)
{
    (void)state;
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

static void test_who_touches_a_corner_does_not_see_through_it(void **state)
{
    (void)state;
    const raim_polygon wall = box_of(0, 0, 100, 10);
    for (int i = 0; i < 100000; i++) {
        const raim_vec2 from = {chance_between(-3, 0.5) * RAIM_SWEEP_TOUCH,
                                10 + chance_between(-0.5, 3) * RAIM_SWEEP_TOUCH};
        assert_false(sees(&wall, 1, from, (raim_vec2){100, -90}, 20));
        assert_true(sees(&wall, 1, from, (raim_vec2){-90, 100}, 20));
    }
}

static void test_inside_the_circle_all_is_seen_and_inside_an_obstacle_nothing(void **state)
{
    (void)state;
    const raim_polygon box = box_of(-10, -10, 10, 10);
    assert_true(sees(&box, 1, (raim_vec2){1, 2}, (raim_vec2){5, 5}, 20));
    assert_true(sees(&box, 1, (raim_vec2){20, 0}, (raim_vec2){0, 0}, 20));
    assert_false(sees(&box, 1, (raim_vec2){1, 2}, (raim_vec2){100, 5}, 20));
    assert_false(sees(&box, 1, (raim_vec2){1, 2}, (raim_vec2){40, 5}, 35));
}

static void test_an_obstacle_in_the_circle_hides_only_what_it_covers(void **state)
{
    (void)state;
    // Before the line between the tangents' ends, but wholly within the circle.
    const raim_polygon within = box_of(60, -75, 65, 75);
    assert_true(sees(&within, 1, origin, (raim_vec2){110, 0}, 100));
    // Of a wall across, the part in the circle hides nothing; without a circle there, all of it.
    const raim_polygon across = box_of(60, -300, 65, 300);
    assert_true(sees(&across, 1, origin, (raim_vec2){110, 0}, 100));
    assert_false(sees(&across, 1, origin, (raim_vec2){166, 0}, 100));
    const raim_polygon around = box_of(50, -300, 400, 300);
    assert_false(sees(&around, 1, origin, (raim_vec2){200, 0}, 100));
}

static void test_size_does_not_matter(void **state)
{
    (void)state;
    const raim_polygon wall = box_of(40, -100, 50, 100);
    const raim_polygon low = box_of(40, -100, 50, -1e-5);
    for (double radius = 1e-6; radius < 100; radius *= 10) {
        assert_false(sees(&wall, 1, origin, (raim_vec2){200, 0}, radius));
        assert_true(sees(&low, 1, origin, (raim_vec2){200, 0}, radius));
    }
    assert_true(sees(&wall, 1, origin, (raim_vec2){15000, 0}, 14000));
    const raim_polygon curtain = box_of(40, -14000, 50, 14000);
    assert_false(sees(&curtain, 1, origin, (raim_vec2){15000, 0}, 10000));
    assert_true(sees(&curtain, 1, origin, (raim_vec2){15000, 0}, 14999));
}

// Obstacles that each cover one of many neighbouring directions, and a hair more on both sides.
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

static void test_more_spans_than_are_remembered_are_never_wrong(void **state)
{
    (void)state;
    const raim_vec2 centre = {1000, 0};
    for (int round = 0; round < 2000; round++) {
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

static raim_vec2 chance_near(raim_vec2 middle, double reach)
{
    return (raim_vec2){middle.x + chance_between(-reach, reach),
                       middle.y + chance_between(-reach, reach)};
}

// A box at a distance along a way, between two offsets to its left.
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

// Leaves a slit of any width, so that the least of mistakes shows.
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

// A viewer, a circle of any size, and obstacles that are mostly between them.
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

// What obstacles do to a viewer who is on their outline is for other tests.
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

static void assert_judged(bool seen, const struct segments *segments, raim_vec2 from,
                          raim_vec2 centre, double radius)
{
    const double gap = slow_gap(segments, from, centre, radius);
    if (gap >= narrow)
        assert_true(seen);
    if (gap < 0)
        assert_false(seen);
}

static void test_a_circle_is_seen_when_a_ray_gets_through(void **state)
{
    (void)state;
    raim_vec2 ends[8 * RAIM_MAX_POLYGON_POINTS][2];
    int seen_count = 0, inside_count = 0;
    for (int i = 0; i < 1000000; i++) {
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
    assert_in_range(seen_count, 200000, 800000);
    assert_in_range(inside_count, 10000, 200000);
}

static void test_winding_and_order_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
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

// --- maps ---

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

static raim_vec2 chance_place(void)
{
    return (raim_vec2){chance_between(arena.min.x, arena.max.x),
                       chance_between(arena.min.y, arena.max.y)};
}

// Mostly stars, which are cut into many pieces; else convex; they may overlap.
static struct raim_obstacle_def chance_obstacle(void)
{
    struct raim_obstacle_def obstacle;
    do {
        const raim_vec2 centre = chance_place();
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

enum { MOST_OBSTACLES = 16 };

static struct raim_map *chance_map(void)
{
    struct raim_obstacle_def obstacles[MOST_OBSTACLES];
    const int count = chance_int(0, MOST_OBSTACLES);
    for (int i = 0; i < count; i++)
        obstacles[i] = chance_obstacle();
    return make_map(obstacles, count);
}

static struct segments segments_of(const struct raim_map *map)
{
    static raim_vec2 ends[MOST_OBSTACLES * RAIM_MAX_OUTLINE_POINTS][2];
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

static void test_a_map_shows_circles_past_its_outlines(void **state)
{
    (void)state;
    int seen_count = 0;
    for (int round = 0; round < 1000; round++) {
        struct raim_map *map = chance_map();
        const struct segments segments = segments_of(map);
        for (int i = 0; i < 100; i++) {
            const raim_vec2 from = chance_place(), centre = chance_place();
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
    assert_in_range(seen_count, 20000, 80000);
}

// --- the visible area ---

enum { MOST_CORNERS = 4096 };

struct area {
    raim_vec2 from;
    raim_vec2 points[MOST_CORNERS];
    int count;
};

static void look(const struct raim_map *map, raim_vec2 from, raim_box view, struct area *area)
{
    area->from = from;
    area->count = raim_map_visible_area(map, from, view, area->points, MOST_CORNERS);
    assert_in_range(area->count, 0, MOST_CORNERS);
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
        // A viewer who touches something has stepped off by a few touches.
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

// A ray tells whether a point is seen, which must lie in the area then, unless it is too near the
// area's edge to tell.
static void assert_agrees(const struct raim_map *map, const struct segments *segments,
                          const struct area *area, raim_box view, raim_vec2 point)
{
    const double distance = slow_outline_distance(area->points, area->count, point);
    if (fabs(distance) <= 1e-6 || !raim_box_contains(view, point))
        return;
    assert_int_equal(slow_clear(segments, area->from, point), distance < 0);
    // The map's own rays may stop at 1e-6 beside a corner, which looks larger behind it.
    if (fabs(distance) > 3e-3 && slow_distance_to_outlines(map, area->from) > 1)
        assert_int_equal(raim_map_sees(map, area->from, point), distance < 0);
}

static void test_the_area_is_what_the_map_sees(void **state)
{
    (void)state;
    static struct area area;
    for (int round = 0; round < 1500; round++) {
        struct raim_map *map = chance_map();
        const struct segments segments = segments_of(map);
        for (int i = 0; i < 8; i++) {
            const raim_vec2 from = chance_place();
            raim_box view = raim_box_grow((raim_box){from, from}, chance_between(10, 1000));
            view.min.x -= chance_between(0, 500);
            view.max.y += chance_between(0, 500);
            look(map, from, view, &area);
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
            // Beside the edges, where a mistake would show.
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

static void test_fewer_obstacles_show_no_less(void **state)
{
    (void)state;
    static struct area area;
    const raim_box view = raim_box_grow(arena, 10);
    for (int round = 0; round < 2000; round++) {
        struct raim_obstacle_def obstacles[MOST_OBSTACLES];
        for (int i = 0; i < MOST_OBSTACLES; i++)
            obstacles[i] = chance_obstacle();
        const raim_vec2 from = chance_place();
        double last = 0;
        for (int count = MOST_OBSTACLES; count >= 0; count -= 4) {
            struct raim_map *map = make_map(obstacles, count);
            look(map, from, view, &area);
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

static void test_the_area_is_exact_about_a_box(void **state)
{
    (void)state;
    static struct area area;
    const struct raim_obstacle_def box = block(100, -100, 200, 100);
    struct raim_map *map = make_map(&box, 1);
    look(map, origin, (raim_box){{-300, -300}, {300, 300}}, &area);
    // The box takes a trapezoid and a half of the view, with the corners at (300, +-300).
    const raim_vec2 corners[] = {{-300, 300}, {-300, -300}, {300, -300},
                                 {100, -100}, {100, 100},   {300, 300}};
    assert_int_equal(area.count, 6);
    int first = 0;
    while (first < 6 && raim_vec2_distance_squared(area.points[first], corners[0]) > 1e-12)
        first++;
    for (int i = 0; i < 6; i++)
        assert_true(raim_vec2_distance_squared(area.points[(first + i) % 6], corners[i]) < 1e-12);
    raim_map_destroy(map);
}

static void test_obstacles_that_touch_leave_no_slit(void **state)
{
    (void)state;
    static struct area area;
    // A ring of eight blocks around a yard: edge to edge, corner to corner, and overlapping.
    const struct raim_obstacle_def ring[] = {
        block(-300, -300, -100, -200), block(-100, -300, 100, -200), block(100, -300, 300, -200),
        block(200, -200, 300, 0),      block(180, -20, 250, 200),    block(-300, 200, 300, 300),
        block(-300, -200, -200, 0),    block(-400, 0, -200, 200)};
    struct raim_map *map = make_map(ring, 8);
    const double wanted = 400 * 400 - 20 * 220;
    for (int i = 0; i < 20000; i++) {
        const raim_vec2 from = {chance_between(-199, 179), chance_between(-199, 199)};
        look(map, from, arena, &area);
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

// A point a touch before or behind a face, and the same a few touches before it.
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

static void test_who_touches_an_obstacle_looks_from_just_before_it(void **state)
{
    (void)state;
    static struct area area;
    for (int round = 0; round < 20000; round++) {
        const struct raim_obstacle_def obstacles[] = {chance_obstacle(), chance_obstacle()};
        struct raim_map *map = make_map(obstacles, 2);
        const struct segments segments = segments_of(map);
        const struct raim_map_outline *other = &map->outlines[1];
        raim_vec2 before;
        const raim_vec2 from = chance_on_face(&map->outlines[0], &before);
        const double distance = slow_outline_distance(other->points, other->count, from);
        look(map, from, arena, &area);
        area.from = before;
        if (distance < -1e-6)
            assert_int_equal(area.count, 0);
        if (distance > 1e-6) {
            assert_star_shaped(&area, arena);
            for (int i = 0; i < 20; i++) {
                const raim_vec2 point = chance_place();
                const double edge = slow_outline_distance(area.points, area.count, point);
                // A few touches aside look larger from afar.
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

static void test_a_small_buffer_gets_the_first_corners(void **state)
{
    (void)state;
    static struct area area;
    struct raim_map *map = chance_map();
    for (int i = 0; i < 1000; i++) {
        look(map, chance_place(), arena, &area);
        const int capacity = chance_int(0, area.count);
        raim_vec2 *points = malloc((size_t)capacity * sizeof *points + 1);
        assert_int_equal(raim_map_visible_area(map, area.from, arena, points, capacity),
                         area.count);
        assert_memory_equal(points, area.points, (size_t)capacity * sizeof *points);
        free(points);
    }
    raim_map_destroy(map);
}

static void test_outside_the_view_nothing_is_seen(void **state)
{
    (void)state;
    static struct area area;
    struct raim_map *map = make_map(NULL, 0);
    const raim_box view = {{0, 0}, {100, 100}};
    const raim_vec2 places[] = {{-1, 50}, {0, 50}, {50, 100}, {100, 100}, {50, 101}};
    for (int i = 0; i < 5; i++) {
        look(map, places[i], view, &area);
        assert_int_equal(area.count, 0);
    }
    look(map, (raim_vec2){1e-6, 1e-6}, view, &area);
    assert_int_equal(area.count, 4);
    raim_map_destroy(map);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wall_hides_what_is_wholly_behind_it),
        cmocka_unit_test(test_a_wall_that_ends_on_the_tangents_hides_all),
        cmocka_unit_test(test_a_wall_along_a_tangent_hides_nothing),
        cmocka_unit_test(test_what_is_behind_or_beside_hides_nothing),
        cmocka_unit_test(test_touching_obstacles_hide_by_what_they_cover),
        cmocka_unit_test(test_a_pinhole_shows_and_a_joint_does_not),
        cmocka_unit_test(test_who_touches_a_wall_sees_along_it_and_not_through),
        cmocka_unit_test(test_who_touches_a_corner_does_not_see_through_it),
        cmocka_unit_test(test_inside_the_circle_all_is_seen_and_inside_an_obstacle_nothing),
        cmocka_unit_test(test_an_obstacle_in_the_circle_hides_only_what_it_covers),
        cmocka_unit_test(test_size_does_not_matter),
        cmocka_unit_test(test_more_spans_than_are_remembered_are_never_wrong),
        cmocka_unit_test(test_a_circle_is_seen_when_a_ray_gets_through),
        cmocka_unit_test(test_winding_and_order_change_nothing),
        cmocka_unit_test(test_a_map_shows_circles_past_its_outlines),
        cmocka_unit_test(test_the_area_is_what_the_map_sees),
        cmocka_unit_test(test_fewer_obstacles_show_no_less),
        cmocka_unit_test(test_the_area_is_exact_about_a_box),
        cmocka_unit_test(test_obstacles_that_touch_leave_no_slit),
        cmocka_unit_test(test_who_touches_an_obstacle_looks_from_just_before_it),
        cmocka_unit_test(test_a_small_buffer_gets_the_first_corners),
        cmocka_unit_test(test_outside_the_view_nothing_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
