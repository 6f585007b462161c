// SPDX-License-Identifier: MIT
// Reads keys, mouse and gamepad.
#include "controls.h"

// A stick counts as pressed along an axis beyond this share of its deflection. 0.38 is the sine of
// 22.5 degrees, which makes the eight directions equally wide.
static const double stick_sine = 0.38;
static const double stick_least = 0.3;

static int8_t pressed(double along, double length)
{
    if (length < stick_least || fabs(along) < stick_sine * length)
        return 0;
    return along > 0 ? 1 : -1;
}

static int8_t between(bool less, bool more)
{
    return (int8_t)(more - less);
}

static void aim(struct controls *controls, const struct window *window,
                const struct viewport *viewport, raim_vec2 from, const struct window_pad *pad)
{
    const raim_vec2 mouse = window_mouse(window);
    if (mouse.x != controls->mouse.x || mouse.y != controls->mouse.y)
        controls->by_pad = false;
    controls->mouse = mouse;
    if (raim_vec2_length(pad->right) >= stick_least)
        controls->by_pad = true;
    if (!controls->by_pad) {
        const raim_vec2 way = raim_vec2_sub(viewport_to_world(viewport, mouse), from);
        controls->aim = raim_angle_of(way);
    } else if (raim_vec2_length(pad->right) >= stick_least) {
        controls->aim = raim_angle_of(pad->right);
    }
}

raim_input controls_read(struct controls *controls, const struct window *window,
                         const struct keys *keys, const struct viewport *viewport, raim_vec2 from)
{
    const struct window_pad pad = window_pad(window);
    const double length = raim_vec2_length(pad.left);
    bool held[KEY_ACTIONS];
    for (int i = 0; i < KEY_ACTIONS; i++)
        held[i] = window_is_held(window, keys->buttons[i]);
    aim(controls, window, viewport, from, &pad);
    raim_input input = {
        .move_x = between(held[KEY_LEFT], held[KEY_RIGHT]),
        .move_y = between(held[KEY_DOWN], held[KEY_UP]),
        .fire = held[KEY_FIRE] || pad.fire,
        .aim = controls->aim,
    };
    if (length >= stick_least) {
        input.move_x = pressed(pad.left.x, length);
        input.move_y = pressed(pad.left.y, length);
    }
    return input;
}
