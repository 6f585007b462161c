// SPDX-License-Identifier: MIT
// Tests of binary angles. The oracle is libm in long double.
#include "angle.h"
#include "chance.h"
#include "test.h"

static const long double turn = 6.283185307179586476925286766559L;

TEST(quadrant_directions_are_exact)
{
    const raim_vec2 wanted[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int i = 0; i < 4; i++) {
        const raim_vec2 got = raim_angle_direction((raim_angle)(i * (RAIM_ANGLE_TURN / 4)));
        assert_memory_equal(&got, &wanted[i], sizeof got);
    }
}

TEST(every_direction_is_cosine_and_sine)
{
    for (int i = 0; i < RAIM_ANGLE_TURN; i++) {
        const raim_vec2 got = raim_angle_direction((raim_angle)i);
        assert_true(fabsl(got.x - cosl(i * turn / RAIM_ANGLE_TURN)) < 2e-16L);
        assert_true(fabsl(got.y - sinl(i * turn / RAIM_ANGLE_TURN)) < 2e-16L);
        assert_true(fabs(raim_vec2_length(got) - 1) < 1e-12);
    }
}

TEST(directions_are_mirror_symmetric)
{
    for (int i = 0; i < RAIM_ANGLE_TURN; i++) {
        const raim_vec2 got = raim_angle_direction((raim_angle)i);
        const raim_vec2 across_x = raim_angle_direction((raim_angle)-i);
        const raim_vec2 across_y = raim_angle_direction((raim_angle)(RAIM_ANGLE_TURN / 2 - i));
        const raim_vec2 across_diagonal =
            raim_angle_direction((raim_angle)(RAIM_ANGLE_TURN / 4 - i));
        assert_true(across_x.x == got.x && across_x.y == -got.y);
        assert_true(across_y.x == -got.x && across_y.y == got.y);
        assert_true(across_diagonal.x == got.y && across_diagonal.y == got.x);
    }
}

TEST(angle_of_direction_is_identity)
{
    for (int i = 0; i < RAIM_ANGLE_TURN; i++)
        assert_int_equal(raim_angle_of(raim_angle_direction((raim_angle)i)), i);
}

TEST(angle_of_the_zero_vector_is_zero)
{
    assert_int_equal(raim_angle_of((raim_vec2){0, 0}), 0);
    assert_int_equal(raim_angle_of((raim_vec2){-0.0, -0.0}), 0);
}

TEST(angle_of_extreme_vectors)
{
    const double sizes[] = {5e-324, 1e-310, 1e-200, 1e200, 1.7e308};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double size = sizes[i];
        assert_int_equal(raim_angle_of((raim_vec2){size, size}), RAIM_ANGLE_TURN / 8);
        assert_int_equal(raim_angle_of((raim_vec2){-size, 1 / size > 1 ? 0 : 1}),
                         RAIM_ANGLE_TURN / 2);
        assert_int_equal(raim_angle_of((raim_vec2){0, -size}), RAIM_ANGLE_TURN * 3 / 4);
    }
}

TEST(angle_of_is_the_nearest)
{
    for (int i = 0; i < 500000; i++) {
        const double size = pow(10, chance_between(-6, 6));
        const raim_vec2 vector = {chance_between(-size, size), chance_between(-size, size)};
        const long double exact = atan2l(vector.y, vector.x) / turn * RAIM_ANGLE_TURN;
        const long double off = remainderl(raim_angle_of(vector) - exact, RAIM_ANGLE_TURN);
        assert_true(fabsl(off) < 0.5L + 1e-8L);
    }
}
