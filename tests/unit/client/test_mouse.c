// SPDX-License-Identifier: MIT
// How the mouse of a bot moves the aim.
#include "mouse.h"

#include "frame.h"
#include "test.h"

enum { TICKS = 20000, STEP = RAIM_ANGLE_TURN >> RAIM_WIRE_AIM_BITS, DEGREE = 182 };

static int between(raim_angle from, raim_angle to)
{
    return (int16_t)(uint16_t)(to - from);
}

TEST(aim_moves_every_tick_on_the_wire)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct mouse mouse;
        mouse_init(&mouse, seed);
        raim_angle last = mouse.aim;
        for (int tick = 0; tick < TICKS; tick++) {
            const raim_angle aim = mouse_move(&mouse, 12345, tick % 500 < 250);
            assert_int_not_equal(aim / STEP, last / STEP);
            last = aim;
        }
    }
}

TEST(aim_stays_at_the_target)
{
    struct mouse mouse;
    mouse_init(&mouse, 1);
    for (int tick = 0; tick < TICKS; tick++) {
        const raim_angle wanted = (raim_angle)(tick * 97);
        const int off = between(wanted, mouse_move(&mouse, wanted, true));
        assert_true(abs(off) <= 2 * DEGREE);
    }
}

TEST(without_a_target_small_moves_and_flicks)
{
    struct mouse mouse;
    mouse_init(&mouse, 1);
    int small = 0, flicks = 0;
    raim_angle last = mouse.aim;
    for (int tick = 0; tick < TICKS; tick++) {
        const raim_angle aim = mouse_move(&mouse, 0, false);
        const int turned = abs(between(last, aim));
        small += turned <= 3 * DEGREE;
        flicks += turned >= 10 * DEGREE;
        last = aim;
    }
    assert_in_range(small, TICKS / 2, TICKS);
    assert_in_range(flicks, TICKS / 200, TICKS / 10);
}

TEST(movement_follows_from_the_seed)
{
    struct mouse one, same, other;
    mouse_init(&one, 7);
    mouse_init(&same, 7);
    mouse_init(&other, 8);
    int differing = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        const raim_angle aim = mouse_move(&one, 0, false);
        assert_int_equal(aim, mouse_move(&same, 0, false));
        differing += aim != mouse_move(&other, 0, false);
    }
    assert_true(differing > TICKS / 2);
}
