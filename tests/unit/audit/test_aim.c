// SPDX-License-Identifier: MIT
// Tests of the aim geometry against a search of the target's circle along its way.
#include "audit_internal.h"
#include "chance.h"
#include "test.h"

#include <math.h>

enum { TARGETS = 3000, STEPS = 400 };

static struct aim_target chance_target(void)
{
    const raim_vec2 now = {chance_between(-800, 800), chance_between(-500, 500)};
    const raim_vec2 way = {chance_between(-300, 300), chance_between(-300, 300)};
    return (struct aim_target){now, raim_vec2_add(now, way), chance_between(5, 40)};
}

// The gap between the ray and the circle on its way: negative where it is met.
static double slow_gap(raim_angle aim, const struct aim_target *target)
{
    const raim_vec2 direction = raim_angle_direction(aim);
    const raim_vec2 way = raim_vec2_sub(target->lead, target->now);
    double least = 1e9;
    for (int i = 0; i <= STEPS; i++) {
        const raim_vec2 centre = raim_vec2_mad(target->now, way, (double)i / STEPS);
        const double along = raim_vec2_dot(direction, centre);
        const double off = along > 0 ? fabs(raim_vec2_cross(direction, centre)) : 1e9;
        least = fmin(least, off - target->radius);
    }
    return least;
}

TEST(an_aim_is_on_the_target_where_its_ray_meets_it)
{
    int on = 0;
    for (int i = 0; i < TARGETS; i++) {
        const struct aim_target target = chance_target();
        const int off = chance_int(-4000, 4000);
        const raim_angle aim = (raim_angle)(raim_angle_of(target.now) + off);
        const double gap = slow_gap(aim, &target);
        const double slack =
            1.01 * raim_vec2_length(raim_vec2_sub(target.lead, target.now)) / STEPS;
        // Behind the shooter a circle is met at the end only, which the steps may miss.
        if (fabs(gap) > slack && raim_vec2_length(target.now) > 400)
            assert_int_equal(aim_is_on(aim, &target), gap < 0);
        on += gap < 0;
    }
    assert_in_range(on, TARGETS / 10, TARGETS * 9 / 10);
}

TEST(an_aim_away_from_the_target_is_not_on_it)
{
    for (int i = 0; i < TARGETS; i++) {
        const raim_angle bearing = (raim_angle)chance_int(0, 65535);
        const raim_vec2 centre = raim_vec2_scale(raim_angle_direction(bearing), 300);
        const struct aim_target target = {centre, centre, 20};
        assert_true(aim_is_on(bearing, &target));
        assert_false(aim_is_on((raim_angle)(bearing + RAIM_ANGLE_TURN / 2), &target));
    }
    const struct aim_target passing = {{-300, -50}, {-300, 50}, 20};
    assert_false(aim_is_on(0, &passing));
    assert_true(aim_is_on(RAIM_ANGLE_TURN / 2, &passing));
}

TEST(turns_are_the_shorter_way)
{
    assert_int_equal(aim_turn(10, 65530), 16);
    assert_int_equal(aim_turn(65530, 10), 16);
    assert_int_equal(aim_turn(0, 32768), 32768);
    assert_true(aim_degrees(16384) == 90);
}

TEST(the_error_is_zero_between_the_target_and_its_lead)
{
    const struct aim_target target = {{500, 0}, {500, 500}, 20}; // now at 0, lead at 45 degrees
    assert_int_equal(aim_error(0, &target), 0);
    assert_int_equal(aim_error(RAIM_ANGLE_TURN / 16, &target), 0);
    assert_int_equal(aim_error(RAIM_ANGLE_TURN / 8, &target), 0);
    assert_int_equal(aim_error((raim_angle)-100, &target), 100);
    assert_int_equal(aim_error(RAIM_ANGLE_TURN / 8 + 100, &target), 100);
}

// The share of random aims that are on a target is its width.
TEST(the_width_is_the_chance_of_a_random_aim)
{
    for (int i = 0; i < 20; i++) {
        raim_vec2 now;
        do
            now = (raim_vec2){chance_between(-600, 600), chance_between(-600, 600)};
        while (raim_vec2_length(now) < 100);
        const struct aim_target target = {now, now, 24};
        int on = 0;
        for (int aim = 0; aim < RAIM_ANGLE_TURN; aim += 8)
            on += aim_is_on((raim_angle)aim, &target);
        assert_true(fabs(8.0 * on - aim_width(&target)) <= 16);
    }
    const struct aim_target around = {{5, 0}, {5, 0}, 24};
    assert_int_equal(aim_width(&around), RAIM_ANGLE_TURN);
}

TEST(the_lead_is_where_the_target_runs)
{
    const struct aim_target target =
        aim_target_at((raim_vec2){0, 0}, (raim_vec2){450, 0}, (raim_vec2){0, 300}, 20, 900, 1.2);
    assert_true(target.lead.x == 450 && target.lead.y == 150);
    const struct aim_target far =
        aim_target_at((raim_vec2){0, 0}, (raim_vec2){9000, 0}, (raim_vec2){0, 300}, 20, 900, 1.2);
    assert_true(far.lead.y == 360); // the bullet vanishes
}
