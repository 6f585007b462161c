// SPDX-License-Identifier: MIT
// Tests of the validation and precomputation of convex polygons.
#include "polygon.h"
#include "slow_shapes.h"
#include "test.h"

#define CHECK(...)                                                                                 \
    raim_polygon_init(&(raim_polygon){.count = 0}, (const raim_vec2[]){__VA_ARGS__},               \
                      (int)(sizeof((const raim_vec2[]){__VA_ARGS__}) / sizeof(raim_vec2)))
#define P(x, y) ((raim_vec2){x, y})

TEST(either_winding_gives_the_same_polygon)
{
    raim_polygon left, right;
    const raim_vec2 points[] = {{0, 0}, {4, 0}, {4, 2}, {0, 2}};
    const raim_vec2 backward[] = {{0, 2}, {4, 2}, {4, 0}, {0, 0}};
    assert_int_equal(raim_polygon_init(&left, points, 4), RAIM_POLYGON_OK);
    assert_int_equal(raim_polygon_init(&right, backward, 4), RAIM_POLYGON_OK);
    const raim_vec2 normals[] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    for (int i = 0; i < 4; i++) {
        assert_memory_equal(&left.points[i], &points[i], sizeof(raim_vec2));
        assert_memory_equal(&right.points[i], &points[i], sizeof(raim_vec2));
        assert_true(left.normals[i].x == normals[i].x && left.normals[i].y == normals[i].y);
        assert_true(right.normals[i].x == normals[i].x && right.normals[i].y == normals[i].y);
    }
    assert_true(left.bounds.min.x == 0 && left.bounds.min.y == 0);
    assert_true(left.bounds.max.x == 4 && left.bounds.max.y == 2);
}

TEST(wrong_counts_are_rejected)
{
    const raim_vec2 points[RAIM_MAX_POLYGON_POINTS + 1] = {{0, 0}};
    raim_polygon polygon;
    for (int count = -1; count < 3; count++)
        assert_int_equal(raim_polygon_init(&polygon, points, count), RAIM_POLYGON_TOO_FEW_POINTS);
    assert_int_equal(raim_polygon_init(&polygon, points, RAIM_MAX_POLYGON_POINTS + 1),
                     RAIM_POLYGON_TOO_MANY_POINTS);
}

TEST(non_finite_points_are_rejected)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1e7};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(CHECK(P(bad[i], 0), P(4, 0), P(0, 4)), RAIM_POLYGON_NOT_FINITE);
        assert_int_equal(CHECK(P(0, 0), P(4, 0), P(0, bad[i])), RAIM_POLYGON_NOT_FINITE);
    }
}

TEST(short_edges_are_rejected)
{
    assert_int_equal(CHECK(P(0, 0), P(4, 0), P(4, 0), P(0, 4)), RAIM_POLYGON_SHORT_EDGE);
    assert_int_equal(CHECK(P(0, 0), P(4, 0), P(0, 4), P(0, 5e-4)), RAIM_POLYGON_SHORT_EDGE);
}

TEST(corners_on_a_line_are_rejected)
{
    assert_int_equal(CHECK(P(0, 0), P(2, 0), P(4, 0), P(0, 4)), RAIM_POLYGON_COLLINEAR);
    assert_int_equal(CHECK(P(0, 0), P(2, -1e-7), P(4, 0), P(0, 4)), RAIM_POLYGON_COLLINEAR);
    assert_int_equal(CHECK(P(0, 0), P(2, -1e-4), P(4, 0), P(0, 4)), RAIM_POLYGON_OK);
    assert_int_equal(CHECK(P(0, 0), P(9, 0), P(4, 0), P(4, 4)), RAIM_POLYGON_COLLINEAR);
    assert_int_equal(CHECK(P(0, 0), P(1, 1), P(2, 2)), RAIM_POLYGON_COLLINEAR);
}

TEST(dents_bow_ties_and_stars_are_rejected)
{
    assert_int_equal(CHECK(P(0, 0), P(4, 0), P(1, 1), P(0, 4)), RAIM_POLYGON_NOT_CONVEX);
    assert_int_equal(CHECK(P(0, 0), P(0, 4), P(1, 1), P(4, 0)), RAIM_POLYGON_NOT_CONVEX);
    assert_int_equal(CHECK(P(0, 0), P(4, 4), P(4, 0), P(0, 4)), RAIM_POLYGON_NOT_CONVEX);
    raim_vec2 star[5], twice[6];
    for (int i = 0; i < 5; i++)
        star[i] = P(9 * cos(i * 0.8 * acos(-1)), 9 * sin(i * 0.8 * acos(-1)));
    for (int i = 0; i < 6; i++)
        twice[i] = P(9 * cos(i * acos(-0.5)), 9 * sin(i * acos(-0.5)));
    raim_polygon polygon;
    assert_int_equal(raim_polygon_init(&polygon, star, 5), RAIM_POLYGON_NOT_CONVEX);
    assert_int_equal(raim_polygon_init(&polygon, twice, 6), RAIM_POLYGON_NOT_CONVEX);
}

TEST(tiny_areas_are_rejected)
{
    assert_int_equal(CHECK(P(0, 0), P(1, 0), P(0, 1.9)), RAIM_POLYGON_SMALL_AREA);
    assert_int_equal(CHECK(P(0, 0), P(1, 0), P(0, 2)), RAIM_POLYGON_OK);
}

TEST(outline_belongs_to_the_polygon)
{
    raim_polygon polygon;
    const raim_vec2 points[] = {{0, 0}, {3, 1}, {1, 3}};
    assert_int_equal(raim_polygon_init(&polygon, points, 3), RAIM_POLYGON_OK);
    for (int i = 0; i < 3; i++)
        assert_true(raim_polygon_contains(&polygon, points[i]));
    assert_true(raim_polygon_contains(&polygon, P(1.5, 0.5)));
    assert_true(raim_polygon_contains(&polygon, P(1, 1)));
    assert_false(raim_polygon_contains(&polygon, P(1.5, 0.49)));
    assert_false(raim_polygon_contains(&polygon, P(3.01, 1)));
}

TEST(random_polygons_are_sound)
{
    for (int i = 0; i < 50000; i++) {
        raim_polygon polygon;
        const raim_vec2 centre = {chance_between(-9000, 9000), chance_between(-9000, 9000)};
        chance_polygon(&polygon, centre, chance_between(5, 500));
        for (int j = 0; j < polygon.count; j++) {
            const raim_vec2 normal = polygon.normals[j];
            assert_true(raim_box_contains(polygon.bounds, polygon.points[j]));
            assert_true(fabs(raim_vec2_length(normal) - 1) < 1e-12);
            for (int k = 0; k < polygon.count; k++) {
                const raim_vec2 out = raim_vec2_sub(polygon.points[k], polygon.points[j]);
                assert_true(raim_vec2_dot(normal, out) < 1e-9);
            }
        }
        const raim_vec2 point = {chance_between(polygon.bounds.min.x, polygon.bounds.max.x),
                                 chance_between(polygon.bounds.min.y, polygon.bounds.max.y)};
        const double distance = slow_distance(&polygon, point);
        if (fabs(distance) > 1e-9)
            assert_int_equal(raim_polygon_contains(&polygon, point), distance < 0);
    }
}

TEST(random_loops_are_convex_or_rejected)
{
    int accepted = 0;
    for (int i = 0; i < 200000; i++) {
        raim_polygon polygon;
        raim_vec2 points[6];
        const int count = chance_int(3, 6);
        for (int j = 0; j < count; j++)
            points[j] = P(chance_int(0, 6), chance_int(0, 6));
        // Seen from its centroid, a convex outline turns left exactly once.
        if (raim_polygon_init(&polygon, points, count) != RAIM_POLYGON_OK)
            continue;
        accepted++;
        raim_vec2 middle = {0, 0};
        for (int j = 0; j < count; j++)
            middle = raim_vec2_mad(middle, polygon.points[j], 1.0 / count);
        double swept = 0;
        for (int j = 0; j < count; j++) {
            const raim_vec2 a = raim_vec2_sub(polygon.points[j], middle);
            const raim_vec2 b =
                raim_vec2_sub(polygon.points[raim_polygon_next(&polygon, j)], middle);
            const double angle = atan2(raim_vec2_cross(a, b), raim_vec2_dot(a, b));
            assert_true(angle > 0);
            swept += angle;
        }
        assert_true(fabs(swept - 2 * acos(-1)) < 1e-9);
    }
    assert_true(accepted > 1000);
}
