// SPDX-License-Identifier: MIT
// Circles against polygons, with distances to segments as the judge.
#include "sat.h"
#include "slow_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static raim_polygon box_of(double width, double height)
{
    raim_polygon polygon;
    const raim_vec2 points[] = {{0, 0}, {width, 0}, {width, height}, {0, height}};
    assert_int_equal(raim_polygon_init(&polygon, points, 4), RAIM_POLYGON_OK);
    return polygon;
}

static void assert_contact(const raim_polygon *polygon, raim_vec2 centre, double radius,
                           raim_vec2 from, raim_contact wanted)
{
    raim_contact contact;
    assert_true(raim_sat_circle(polygon, centre, radius, from, &contact));
    assert_true(fabs(contact.depth - wanted.depth) < 1e-12);
    assert_true(fabs(contact.normal.x - wanted.normal.x) < 1e-12);
    assert_true(fabs(contact.normal.y - wanted.normal.y) < 1e-12);
}

static void test_face_pushes_along_its_normal(void **state)
{
    (void)state;
    const raim_polygon box = box_of(10, 10);
    const raim_vec2 centre = {5, 12};
    assert_contact(&box, centre, 3, centre, (raim_contact){{0, 1}, 1});
}

static void test_beside_a_corner_is_no_contact(void **state)
{
    (void)state;
    // All face axes overlap here; only the axis through the corner separates.
    const raim_polygon box = box_of(10, 10);
    const raim_vec2 centre = {12.5, 12.5};
    raim_contact contact;
    assert_false(raim_sat_circle(&box, centre, 3, centre, &contact));
    const double depth = 4 - 2.5 * sqrt(2);
    assert_contact(&box, centre, 4, centre, (raim_contact){{sqrt(0.5), sqrt(0.5)}, depth});
}

static void test_touching_is_not_overlapping(void **state)
{
    (void)state;
    const raim_polygon box = box_of(10, 10);
    raim_contact contact;
    assert_false(raim_sat_circle(&box, (raim_vec2){5, 13}, 3, (raim_vec2){5, 13}, &contact));
    assert_false(raim_sat_circle(&box, (raim_vec2){13, 14}, 5, (raim_vec2){13, 14}, &contact));
}

static void test_contained_circle_leaves_by_the_nearest_face(void **state)
{
    (void)state;
    const raim_polygon box = box_of(100, 100);
    assert_contact(&box, (raim_vec2){90, 50}, 3, (raim_vec2){0, 0}, (raim_contact){{1, 0}, 13});
    assert_contact(&box, (raim_vec2){50, 20}, 3, (raim_vec2){0, 99}, (raim_contact){{0, -1}, 23});
}

static void test_centre_on_a_corner_leaves(void **state)
{
    (void)state;
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

static void test_thin_wall_tie_goes_to_the_side_it_came_from(void **state)
{
    (void)state;
    const raim_polygon wall = box_of(100, 2);
    for (double off = -4e-7; off <= 4e-7; off += 1e-7) {
        const raim_vec2 centre = {50, 1 + off};
        assert_contact(&wall, centre, 5, (raim_vec2){50, 9}, (raim_contact){{0, 1}, 6 - off});
        assert_contact(&wall, centre, 5, (raim_vec2){50, -9}, (raim_contact){{0, -1}, 6 + off});
    }
    // No tie: the nearest side, wherever it came from.
    const raim_vec2 above = {50, 1 + 1e-5};
    assert_contact(&wall, above, 5, (raim_vec2){50, -9}, (raim_contact){{0, 1}, 6 - 1e-5});
}

static void test_contact_is_the_least_that_separates(void **state)
{
    (void)state;
    int overlaps = 0;
    for (int i = 0; i < 200000; i++) {
        raim_polygon polygon;
        chance_polygon(&polygon, (raim_vec2){0, 0}, 100);
        for (int j = 0; j < 2; j++) {
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
    assert_true(overlaps > 50000);
}

int main(int argc, char **argv)
{
    chance_start(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_face_pushes_along_its_normal),
        cmocka_unit_test(test_beside_a_corner_is_no_contact),
        cmocka_unit_test(test_touching_is_not_overlapping),
        cmocka_unit_test(test_contained_circle_leaves_by_the_nearest_face),
        cmocka_unit_test(test_centre_on_a_corner_leaves),
        cmocka_unit_test(test_thin_wall_tie_goes_to_the_side_it_came_from),
        cmocka_unit_test(test_contact_is_the_least_that_separates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
