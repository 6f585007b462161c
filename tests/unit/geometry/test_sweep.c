// SPDX-License-Identifier: MIT
// Tests of the time of impact. The oracle is conservative advancement over brute-force distances.
#include "sat.h"
#include "slow_shapes.h"
#include "sweep.h"
#include "test.h"

static const double hair = RAIM_SWEEP_TOUCH / 2; // within a touch

static raim_polygon box_of(double width, double height)
{
    raim_polygon polygon;
    const raim_vec2 points[] = {{0, 0}, {width, 0}, {width, height}, {0, height}};
    assert_int_equal(raim_polygon_init(&polygon, points, 4), RAIM_POLYGON_OK);
    return polygon;
}

static void assert_near(double got, double wanted)
{
    assert_true(fabs(got - wanted) < 1e-9);
}

TEST(overlap_at_the_start_is_zero)
{
    const raim_polygon box = box_of(10, 10);
    const raim_vec2 ways[] = {{0, 0}, {9, 0}, {-9, 0}, {0, 9}, {0, -9}};
    for (int i = 0; i < 5; i++) {
        assert_true(raim_sweep_polygon(&box, (raim_vec2){5, 5}, ways[i], 3) == 0);
        assert_true(raim_sweep_polygon(&box, (raim_vec2){-3 + 1e-8, 5}, ways[i], 3) == 0);
        assert_true(raim_sweep_polygon(&box, (raim_vec2){-2, -2}, ways[i], 3) == 0);
        assert_true(raim_sweep_circle((raim_vec2){1, 1}, ways[i], (raim_vec2){0, 0}, 3) == 0);
        assert_true(raim_sweep_box((raim_box){{0, 0}, {9, 9}}, (raim_vec2){2, 5}, ways[i], 3) == 0);
    }
}

TEST(touch_counts_only_on_the_way_in)
{
    const raim_polygon box = box_of(10, 10);
    const raim_box arena = {{0, 0}, {100, 100}};
    for (double gap = -hair; gap <= hair; gap += hair) {
        const raim_vec2 left = {-3 - gap, 5};
        assert_true(raim_sweep_polygon(&box, left, (raim_vec2){2, 1}, 3) == 0);
        assert_true(raim_sweep_polygon(&box, left, (raim_vec2){0, 2}, 3) == RAIM_SWEEP_MISS);
        assert_true(raim_sweep_polygon(&box, left, (raim_vec2){-2, 1}, 3) == RAIM_SWEEP_MISS);
        assert_true(raim_sweep_polygon(&box, left, (raim_vec2){0, 0}, 3) == RAIM_SWEEP_MISS);

        const raim_vec2 rim = {3 + gap, 0}, centre = {0, 0};
        assert_true(raim_sweep_circle(rim, (raim_vec2){-2, 1}, centre, 3) == 0);
        assert_true(raim_sweep_circle(rim, (raim_vec2){0, 2}, centre, 3) == RAIM_SWEEP_MISS);
        assert_true(raim_sweep_circle(rim, (raim_vec2){2, 1}, centre, 3) == RAIM_SWEEP_MISS);
        assert_true(raim_sweep_circle(rim, (raim_vec2){0, 0}, centre, 3) == RAIM_SWEEP_MISS);

        const raim_vec2 within = {3 + gap, 50};
        assert_true(raim_sweep_box(arena, within, (raim_vec2){-2, 1}, 3) == 0);
        assert_true(raim_sweep_box(arena, within, (raim_vec2){0, 2}, 3) == RAIM_SWEEP_MISS);
        assert_true(raim_sweep_box(arena, within, (raim_vec2){2, 1}, 3) == RAIM_SWEEP_MISS);
    }
}

TEST(sliding_along_a_slanted_wall_is_free)
{
    for (int i = 0; i < 100000; i++) {
        raim_polygon polygon;
        chance_polygon(&polygon, (raim_vec2){3000, -2000}, 200);
        const int face = chance_int(0, polygon.count - 1);
        const raim_vec2 normal = polygon.normals[face];
        const raim_vec2 along = {-normal.y, normal.x};
        const raim_vec2 start = raim_vec2_mad(polygon.points[face], normal, 20);
        const raim_vec2 way = raim_vec2_scale(along, chance_between(-30, 30));
        assert_true(raim_sweep_polygon(&polygon, start, way, 20) == RAIM_SWEEP_MISS);
    }
}

TEST(passing_a_corner_at_a_touch_is_free)
{
    for (int i = 0; i < 100000; i++) {
        raim_polygon polygon;
        chance_polygon(&polygon, (raim_vec2){3000, -2000}, 200);
        const raim_vec2 corner = polygon.points[chance_int(0, polygon.count - 1)];
        const double x = chance_between(-1, 1), y = chance_between(-1, 1);
        const double length = sqrt(x * x + y * y);
        const raim_vec2 normal = {x / length, y / length}, along = {-normal.y, normal.x};
        const raim_vec2 beside = raim_vec2_mad(corner, normal, 20);
        // The path is free when the whole polygon lies behind the line through the corner.
        bool is_foremost = true;
        for (int p = 0; p < polygon.count; p++)
            is_foremost =
                is_foremost && raim_vec2_dot(normal, raim_vec2_sub(polygon.points[p], corner)) <= 0;
        if (!is_foremost)
            continue;
        const raim_vec2 start = raim_vec2_mad(beside, along, chance_between(-30, -1));
        const raim_vec2 way = raim_vec2_scale(raim_vec2_sub(beside, start), 2);
        assert_true(raim_sweep_circle(start, way, corner, 20) == RAIM_SWEEP_MISS);
        assert_true(raim_sweep_polygon(&polygon, start, way, 20) == RAIM_SWEEP_MISS);
    }
}

TEST(a_motion_along_a_seam_is_stopped)
{
    // The lower half of a block that was cut in two.
    const raim_vec2 points[] = {{0, 0}, {10, 0}, {10, 10}, {0, 10}};
    raim_polygon piece;
    raim_polygon_init_piece(&piece, points, 4, 1 << 2);
    const raim_vec2 way = {30, 0};
    assert_near(raim_sweep_polygon(&piece, (raim_vec2){-15, 10}, way, 0), 0.5);
    assert_near(raim_sweep_polygon(&piece, (raim_vec2){-15, 10 + RAIM_SWEEP_TOUCH}, way, 0), 0.5);
    assert_true(raim_sweep_polygon(&piece, (raim_vec2){5, 10}, way, 0) == 0);
    // A motion along a proper face does not hit.
    assert_true(raim_sweep_polygon(&piece, (raim_vec2){-15, 0}, way, 0) == RAIM_SWEEP_MISS);
    assert_true(raim_sweep_polygon(&piece, (raim_vec2){-15, 10 + 1e-6}, way, 0) == RAIM_SWEEP_MISS);
}

// A motion, for the oracle.
struct motion {
    const raim_polygon *polygon; // NULL: the point `centre`
    raim_vec2 centre;
    raim_vec2 start, displacement;
    double radius;
};

static double gap_at(const struct motion *motion, double time)
{
    const raim_vec2 at = raim_vec2_mad(motion->start, motion->displacement, time);
    const double distance = motion->polygon != NULL
                                ? slow_distance(motion->polygon, at)
                                : sqrt(raim_vec2_distance_squared(at, motion->centre));
    return distance - motion->radius;
}

static double deepest_gap(const struct motion *motion)
{
    double deepest = INFINITY;
    for (int i = 0; i <= 10000; i++)
        deepest = fmin(deepest, gap_at(motion, i / 10000.0));
    return deepest;
}

// Conservative advancement: no touch is sooner than the gap divided by the speed, so the search
// always advances by that time.
static double advance_to_touch(const struct motion *motion)
{
    const double length = raim_vec2_length(motion->displacement);
    double time = 0;
    for (int i = 0; i < 100000 && time <= 1; i++) {
        const double gap = gap_at(motion, time);
        if (gap < 1e-10)
            return time;
        time += gap / length;
    }
    return RAIM_SWEEP_MISS;
}

// Compares a result with the oracle. Returns whether the motion was a hit.
static bool judge(const struct motion *motion, double got)
{
    assert_true((got >= 0 && got <= 1) || got == RAIM_SWEEP_MISS);
    if (got > 0 && got <= 1)
        assert_true(fabs(gap_at(motion, got)) < 1e-8);
    const double judged = advance_to_touch(motion);
    if ((got <= 1) != (judged <= 1)) {
        assert_true(deepest_gap(motion) > -1e-6); // a graze, or a touch at the very end
        return false;
    }
    if (got > 1)
        return false;
    // The time of a grazing hit is ill-conditioned, so only deeper hits compare it.
    if (gap_at(motion, fmin(1, got + 1e-3)) < -1e-5)
        assert_true(fabs(got - judged) < 1e-6);
    return true;
}

static raim_vec2 chance_near(raim_vec2 middle, double reach)
{
    return (raim_vec2){middle.x + chance_between(-reach, reach),
                       middle.y + chance_between(-reach, reach)};
}

TEST(polygon_sweep_is_the_first_touch)
{
    int hits = 0;
    for (int i = 0; i < 1000000; i++) {
        const raim_vec2 middle = chance_near((raim_vec2){0, 0}, 15000);
        raim_polygon polygon;
        chance_polygon(&polygon, middle, 100);
        const struct motion motion = {
            .polygon = &polygon,
            .start = chance_near(middle, 120),
            .displacement = chance_near((raim_vec2){0, 0}, 200),
            .radius = chance_int(0, 3) == 0 ? 0 : chance_between(0.5, 40),
        };
        hits += judge(&motion, raim_sweep_polygon(&polygon, motion.start, motion.displacement,
                                                  motion.radius));
    }
    assert_true(hits > 20000);
}

TEST(circle_sweep_is_the_first_touch)
{
    int hits = 0;
    for (int i = 0; i < 1000000; i++) {
        const raim_vec2 middle = chance_near((raim_vec2){0, 0}, 15000);
        const struct motion motion = {
            .centre = middle,
            .start = chance_near(middle, 150),
            .displacement = chance_near((raim_vec2){0, 0}, 200),
            .radius = chance_between(0.5, 60),
        };
        hits += judge(&motion, raim_sweep_circle(motion.start, motion.displacement, motion.centre,
                                                 motion.radius));
    }
    assert_true(hits > 20000);
}

TEST(a_line_through_a_corner_does_not_slip_in)
{
    for (int i = 0; i < 50000; i++) {
        raim_polygon polygon;
        const raim_vec2 middle = chance_near((raim_vec2){0, 0}, 5000);
        chance_polygon(&polygon, middle, 100);
        const raim_vec2 corner = polygon.points[0];
        const raim_vec2 behind = raim_vec2_scale(
            raim_vec2_add(polygon.points[1], polygon.points[polygon.count - 1]), 0.5);
        const raim_vec2 way = raim_vec2_sub(behind, corner);
        const raim_vec2 start = raim_vec2_mad(corner, way, -1);
        const double got = raim_sweep_polygon(&polygon, start, raim_vec2_scale(way, 2), 0);
        assert_true(fabs(got - 0.5) < 1e-5);
    }
}

TEST(box_sweep_is_the_first_touch)
{
    const raim_box box = {{-100, -50}, {100, 50}};
    int hits = 0;
    for (int i = 0; i < 200000; i++) {
        const double radius = chance_between(0.5, 40);
        const raim_vec2 start = {chance_between(-99 + radius, 99 - radius),
                                 chance_between(-49 + radius, 49 - radius)};
        const raim_vec2 way = {chance_between(-100, 100), chance_between(-100, 100)};
        const double got = raim_sweep_box(box, start, way, radius);
        const raim_vec2 at = raim_vec2_mad(start, way, got > 1 ? 1 : got);
        const double gap = fmin(fmin(at.x - box.min.x, box.max.x - at.x),
                                fmin(at.y - box.min.y, box.max.y - at.y)) -
                           radius;
        hits += got <= 1;
        if (got <= 1)
            assert_true(got >= 0 && fabs(gap) < 1e-9);
        else
            assert_true(got == RAIM_SWEEP_MISS && gap > -1e-9);
    }
    assert_true(hits > 50000);
}

TEST(tiny_motions_do_not_divide_by_zero)
{
    const raim_polygon box = box_of(10, 10);
    const double sizes[] = {0, 5e-324, 1e-200, 1e-30};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double size = sizes[i];
        for (int x = -1; x <= 1; x++) {
            for (int y = -1; y <= 1; y++) {
                const raim_vec2 way = {x * size, y * size};
                const raim_vec2 apart = {-4, 5}, touching = {-3, 5}, corner = {13, 10};
                assert_true(raim_sweep_polygon(&box, apart, way, 3) == RAIM_SWEEP_MISS);
                assert_true(raim_sweep_polygon(&box, touching, way, 3) == RAIM_SWEEP_MISS);
                assert_true(raim_sweep_polygon(&box, corner, way, 3) == RAIM_SWEEP_MISS);
                assert_true(raim_sweep_circle(touching, way, (raim_vec2){0, 5}, 3) ==
                            RAIM_SWEEP_MISS);
                assert_true(raim_sweep_circle(apart, way, (raim_vec2){0, 5}, 3) == RAIM_SWEEP_MISS);
            }
        }
    }
}

// --- Sat ---

// Tests of the separating axis theorem. The oracle for circles is the distance to the segments; for
// polygons, the convex hull of all differences of their corners (the Minkowski difference).

static void assert_contact(const raim_polygon *polygon, raim_vec2 centre, double radius,
                           raim_vec2 from, raim_contact wanted)
{
    raim_contact contact;
    assert_true(raim_sat_circle(polygon, centre, radius, from, &contact));
    assert_true(fabs(contact.depth - wanted.depth) < 1e-12);
    assert_true(fabs(contact.normal.x - wanted.normal.x) < 1e-12);
    assert_true(fabs(contact.normal.y - wanted.normal.y) < 1e-12);
}

TEST(centre_on_a_corner_leaves)
{
    const raim_polygon box = box_of(10, 10);
    for (int i = 0; i < 4; i++) {
        const raim_vec2 centre = box.points[i];
        raim_contact contact;
        assert_true(raim_sat_circle(&box, centre, 3, (raim_vec2){5, 5}, &contact));
        assert_true(fabs(contact.depth - 3) < 1e-12);
        const raim_vec2 beside = {nextafter(centre.x, 1e9 * (centre.x - 5)),
                                  nextafter(centre.y, 1e9 * (centre.y - 5))};
        assert_true(raim_sat_circle(&box, beside, 3, beside, &contact));
        assert_true(fabs(contact.depth - 3) < 1e-12);
        assert_true(fabs(raim_vec2_length(contact.normal) - 1) < 1e-12);
    }
}

TEST(thin_wall_tie_goes_to_the_side_it_came_from)
{
    const raim_polygon wall = box_of(100, 2);
    const double offs[] = {-4e-7, -1e-7, -1e-9, -1e-15, 0, 1e-15, 1e-9, 1e-7, 4e-7};
    for (size_t i = 0; i < sizeof offs / sizeof *offs; i++) {
        const double off = offs[i];
        const raim_vec2 centre = {50, 1 + off};
        assert_contact(&wall, centre, 5, (raim_vec2){50, 9}, (raim_contact){{0, 1}, 6 - off});
        assert_contact(&wall, centre, 5, (raim_vec2){50, -9}, (raim_contact){{0, -1}, 6 + off});
    }
    // Without a tie, the nearest side wins, whatever the start.
    const raim_vec2 above = {50, 1 + 1e-5};
    assert_contact(&wall, above, 5, (raim_vec2){50, -9}, (raim_contact){{0, 1}, 6 - 1e-5});
}

TEST(contact_is_the_least_that_separates)
{
    int overlaps = 0;
    for (int i = 0; i < 200000; i++) {
        raim_polygon polygon;
        chance_polygon(&polygon, (raim_vec2){0, 0}, 100);
        for (int j = 0; j < 5; j++) {
            const raim_vec2 centre = {chance_between(-60, 60), chance_between(-60, 60)};
            const double radius = chance_between(0.5, 40);
            const double distance = slow_distance(&polygon, centre);
            raim_contact contact;
            const bool hit = raim_sat_circle(&polygon, centre, radius, centre, &contact);
            if (fabs(distance - radius) > 1e-9)
                assert_int_equal(hit, distance < radius);
            if (!hit)
                continue;
            overlaps++;
            assert_true(fabs(contact.depth - (radius - distance)) < RAIM_SAT_TIE + 1e-9);
            assert_true(fabs(raim_vec2_length(contact.normal) - 1) < 1e-12);
            const raim_vec2 moved = raim_vec2_mad(centre, contact.normal, contact.depth);
            assert_true(fabs(slow_distance(&polygon, moved) - radius) < 1e-9);
        }
    }
    assert_true(overlaps > 200000);
}

TEST(a_contained_circle_does_not_leave_by_a_seam)
{
    const raim_vec2 points[] = {{0, 0}, {100, 0}, {100, 100}, {0, 100}};
    raim_polygon piece;
    raim_contact contact;
    raim_polygon_init_piece(&piece, points, 4, 1 << 1);
    const raim_vec2 near_seam[] = {{99, 40}, {100, 40}, {nextafter(100, 200), 40}};
    for (int i = 0; i < 3; i++)
        assert_contact(&piece, near_seam[i], 3, near_seam[i], (raim_contact){{0, -1}, 43});
    // A centre farther out is inside another piece, which has the deeper contact.
    assert_contact(&piece, (raim_vec2){101, 40}, 3, (raim_vec2){0, 0}, (raim_contact){{1, 0}, 2});
    raim_polygon_init_piece(&piece, points, 4, 15);
    assert_true(raim_sat_circle(&piece, near_seam[0], 3, near_seam[0], &contact));
    assert_true(contact.depth == 4);
}

static raim_polygon box_at(double x, double y, double width, double height)
{
    raim_polygon polygon;
    const raim_vec2 points[] = {{x, y}, {x, y + height}, {x + width, y + height}, {x + width, y}};
    assert_int_equal(raim_polygon_init(&polygon, points, 4), RAIM_POLYGON_OK);
    return polygon;
}

TEST(polygons_that_touch_do_not_overlap)
{
    const raim_polygon box = box_at(0, 0, 10, 10);
    const raim_polygon others[] = {box_at(10, 0, 5, 10), box_at(10, 10, 5, 5),
                                   box_at(10 - RAIM_SAT_TOUCH / 2, 3, 5, 5)};
    raim_contact contact;
    for (int i = 0; i < 3; i++) {
        assert_false(raim_sat_polygons(&box, &others[i], &contact));
        assert_false(raim_sat_polygons(&others[i], &box, &contact));
    }
    const raim_polygon deeper = box_at(10 - 3 * RAIM_SAT_TOUCH, 3, 5, 5);
    assert_true(raim_sat_polygons(&box, &deeper, &contact));
    assert_true(raim_sat_polygons(&deeper, &box, &contact));
}

// Returns the signed distance of the origin from the convex hull of all differences b - a of
// corners, found by gift wrapping (Jarvis, 1973). A negative distance is the depth of an overlap.
static double slow_polygons_distance(const raim_polygon *a, const raim_polygon *b)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS * RAIM_MAX_POLYGON_POINTS];
    int count = 0, lowest = 0;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            points[count++] = raim_vec2_sub(b->points[j], a->points[i]);
    for (int i = 1; i < count; i++)
        if (points[i].y < points[lowest].y ||
            (points[i].y == points[lowest].y && points[i].x < points[lowest].x))
            lowest = i;
    double nearest = INFINITY;
    bool inside = true;
    int from = lowest;
    do {
        int to = from == 0 ? 1 : 0;
        for (int i = 0; i < count; i++) {
            const raim_vec2 way = raim_vec2_sub(points[to], points[from]);
            const raim_vec2 other = raim_vec2_sub(points[i], points[from]);
            const double side = raim_vec2_cross(way, other);
            if (side < 0 || (side == 0 && raim_vec2_dot(other, other) > raim_vec2_dot(way, way)))
                to = i;
        }
        const raim_vec2 origin = {0, 0};
        nearest = fmin(nearest, slow_segment_distance(points[from], points[to], origin));
        inside = inside && raim_vec2_cross(points[from], points[to]) > 0;
        from = to;
    } while (raim_vec2_distance_squared(points[from], points[lowest]) > 1e-18);
    return inside ? -nearest : nearest;
}

static void shift(raim_polygon *polygon, raim_vec2 way)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    for (int i = 0; i < polygon->count; i++)
        points[i] = raim_vec2_add(polygon->points[i], way);
    assert_int_equal(raim_polygon_init(polygon, points, polygon->count), RAIM_POLYGON_OK);
}

// Returns whether they overlap.
static bool judge_polygons(raim_polygon a, const raim_polygon *b)
{
    const double distance = slow_polygons_distance(&a, b);
    raim_contact contact;
    const bool hit = raim_sat_polygons(&a, b, &contact);
    if (fabs(distance + RAIM_SAT_TOUCH) > 1e-9)
        assert_int_equal(hit, distance < 0);
    if (!hit)
        return false;
    assert_true(fabs(contact.depth + distance) < 1e-9);
    assert_true(fabs(raim_vec2_length(contact.normal) - 1) < 1e-12);
    for (int i = 0; i < a.count; i++)
        a.points[i] = raim_vec2_mad(a.points[i], contact.normal, contact.depth);
    assert_true(fabs(slow_polygons_distance(&a, b)) < 1e-9);
    return true;
}

TEST(polygons_move_apart_by_the_least_that_separates)
{
    int overlaps = 0;
    for (int i = 0; i < 50000; i++) {
        const raim_vec2 middle = {chance_between(-9000, 9000), chance_between(-9000, 9000)};
        raim_polygon a, b;
        do
            chance_polygon(&a, middle, chance_between(20, 100));
        while (a.count > 6 && i % 16 != 0);
        do
            chance_polygon(&b, middle, chance_between(20, 100));
        while (b.count > 6 && i % 16 != 0);
        for (int j = 0; j < 20; j++) {
            overlaps += judge_polygons(a, &b);
            shift(&a, raim_vec2_sub(middle, a.points[chance_int(0, a.count - 1)]));
            shift(&a, (raim_vec2){chance_between(-40, 40), chance_between(-40, 40)});
        }
    }
    assert_true(overlaps > 200000);
}
