// SPDX-License-Identifier: MIT
// Reads keys, mouse, gamepad and fingers.
#include "controls.h"

#include <string.h>

// A stick counts as pressed along an axis beyond this share of its deflection. 0.38 is the sine of
// 22.5 degrees, which makes the eight directions equally wide.
static const double stick_sine = 0.38;
static const double stick_least = 0.3;

// Distance of a gamepad's crosshair from the player, as a share of the view's height.
static const double crosshair_share = 0.28;

static int8_t deflected(double along, double length)
{
    if (length < stick_least || fabs(along) < stick_sine * length)
        return 0;
    return along > 0 ? 1 : -1;
}

static int8_t between(bool less, bool more)
{
    return (int8_t)(more - less);
}

// The direction from the middle of the view to a point of the screen.
static raim_angle aim_at(const struct viewport *viewport, raim_vec2 point)
{
    return raim_angle_of(raim_vec2_sub(viewport_to_world(viewport, point), viewport->eye));
}

void controls_handle(struct controls *controls, const struct bindings *bindings,
                     const struct window_event *event, const struct viewport *viewport)
{
    if (event->kind != WINDOW_PRESSED || event->button == 0)
        return;
    controls->by_pad = window_button_is_pad(event->button);
    for (int i = 0; i < ACTION_COUNT; i++)
        if (bindings_triggers(bindings, (enum action)i, event->button))
            controls->is_latched[i] = true;
    if (!controls->by_pad && bindings_triggers(bindings, ACTION_FIRE, event->button)) {
        controls->aims_shot = true;
        controls->shot_aim = aim_at(viewport, event->mouse);
    }
}

static void update_aim(struct controls *controls, const struct window *window,
                       const struct viewport *viewport, const struct window_pad *pad)
{
    const raim_vec2 mouse = window_mouse(window);
    if (mouse.x != controls->mouse.x || mouse.y != controls->mouse.y)
        controls->by_pad = false;
    controls->mouse = mouse;
    if (window_has_fingers(window) || raim_vec2_length(pad->right) >= stick_least)
        controls->by_pad = true;
    if (!controls->by_pad)
        controls->aim = aim_at(viewport, mouse);
    else if (raim_vec2_length(pad->right) >= stick_least)
        controls->aim = raim_angle_of(pad->right);
}

raim_input controls_read(struct controls *controls, const struct window *window,
                         const struct bindings *bindings, const struct viewport *viewport)
{
    bool fires = false;
    const struct window_pad pad =
        window_has_fingers(window) ? touch_pad(window, &fires) : window_pad(window);
    const double length = raim_vec2_length(pad.left);
    bool is_on[ACTION_COUNT];
    for (int i = 0; i < ACTION_COUNT; i++)
        is_on[i] = controls->is_latched[i] || bindings_are_held(bindings, (enum action)i, window);
    update_aim(controls, window, viewport, &pad);
    raim_input input = {
        .move_x = between(is_on[ACTION_LEFT], is_on[ACTION_RIGHT]),
        .move_y = between(is_on[ACTION_DOWN], is_on[ACTION_UP]),
        .fire = fires || is_on[ACTION_FIRE],
        .aim = controls->aims_shot ? controls->shot_aim : controls->aim,
    };
    if (length >= stick_least) {
        input.move_x = deflected(pad.left.x, length);
        input.move_y = deflected(pad.left.y, length);
    }
    return input;
}

void controls_clear_latch(struct controls *controls)
{
    memset(controls->is_latched, 0, sizeof controls->is_latched);
    controls->aims_shot = false;
}

raim_vec2 controls_crosshair(const struct controls *controls, const struct window *window,
                             const struct viewport *viewport)
{
    if (!controls->by_pad)
        return window_mouse(window);
    const raim_vec2 aim = raim_angle_direction(controls->aim);
    return viewport_to_screen(
        viewport, raim_vec2_mad(viewport->eye, aim, crosshair_share * viewport->view.y));
}
