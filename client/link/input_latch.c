// SPDX-License-Identifier: MIT
// Remembers what an input set that the one before it did not.
#include "input_latch.h"

static bool moves(const raim_input *input)
{
    return input->move_x != 0 || input->move_y != 0;
}

void raim_input_latch_set(struct raim_input_latch *latch, const raim_input *input)
{
    raim_input *pressed = &latch->pressed;
    const raim_input *held = &latch->held;
    if (input->fire && !held->fire) {
        pressed->fire = 1;
        pressed->aim = input->aim;
    }
    if (moves(input) && (input->move_x != held->move_x || input->move_y != held->move_y)) {
        pressed->move_x = input->move_x;
        pressed->move_y = input->move_y;
    }
    latch->held = *input;
}

raim_input raim_input_latch_take(struct raim_input_latch *latch)
{
    const raim_input pressed = latch->pressed;
    raim_input input = latch->held;
    if (pressed.fire && !input.fire) {
        input.fire = 1;
        input.aim = pressed.aim;
    }
    if (moves(&pressed) && !moves(&input)) {
        input.move_x = pressed.move_x;
        input.move_y = pressed.move_y;
    }
    input.rewind = 0;
    latch->pressed = (raim_input){0};
    return input;
}
