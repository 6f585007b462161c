// SPDX-License-Identifier: MIT
// A damped random walk around the wanted aim, which springs to the point of a glance.
#include "mouse.h"

#include "frame.h"
#include "random.h"

enum {
    STEP = RAIM_ANGLE_TURN >> RAIM_WIRE_AIM_BITS,
    TREMOR = STEP / 2,        // largest random change of the speed in a tick
    MAX_AT_TARGET = 3 * STEP, // largest offset while tracking: one degree
    MAX_GLANCE = RAIM_ANGLE_TURN / 4,
    TICKS_OF_GLANCE = 40, // on average: two of three seconds begin a new one at 60 Hz
};

void mouse_init(struct mouse *mouse, uint64_t seed)
{
    *mouse = (struct mouse){.random = seed};
}

static int random_within(struct mouse *mouse, int most)
{
    return (int)raim_random_below(&mouse->random, 2 * (uint32_t)most + 1) - most;
}

static int clamp(int value, int most)
{
    return value < -most ? -most : value > most ? most : value;
}

raim_angle mouse_move(struct mouse *mouse, raim_angle wanted, bool has_target)
{
    if (has_target)
        mouse->glance = 0;
    else if (raim_random_below(&mouse->random, TICKS_OF_GLANCE) == 0)
        mouse->glance = (int16_t)random_within(mouse, MAX_GLANCE);
    // A quarter of the way per tick: a flick is fast at first and slows down as it arrives.
    const int way = (mouse->glance - mouse->offset) / 4;
    mouse->speed = (int16_t)clamp(mouse->speed * 3 / 4 + random_within(mouse, TREMOR), 2 * STEP);
    const int offset = mouse->offset + way + mouse->speed;
    mouse->offset = (int16_t)clamp(offset, has_target ? MAX_AT_TARGET : MAX_GLANCE + MAX_AT_TARGET);
    raim_angle aim = (raim_angle)(wanted + mouse->offset);
    const int turned = (int16_t)(uint16_t)(aim - mouse->aim);
    if (turned > -STEP && turned < STEP)
        aim = (raim_angle)(mouse->aim + (turned < 0 ? -STEP : STEP));
    mouse->aim = aim;
    return aim;
}
