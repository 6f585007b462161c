// SPDX-License-Identifier: MIT
// How presses, the mouse and a gamepad become the player's input. The test has devices of its own.
#include "controls.h"
#include "test.h"

#include <math.h>

static const raim_vec2 view_window = {1600, 1000};
static const raim_vec2 view = {1600, 861};

static struct window_pad pad;
static raim_vec2 mouse;
static window_button held; // 0: none

struct window_pad __wrap_window_pad(const struct window *window);
raim_vec2 __wrap_window_mouse(const struct window *window);
bool __wrap_window_is_held(const struct window *window, window_button button);

struct window_pad __wrap_window_pad(const struct window *window)
{
    (void)window;
    return pad;
}

raim_vec2 __wrap_window_mouse(const struct window *window)
{
    (void)window;
    return mouse;
}

bool __wrap_window_is_held(const struct window *window, window_button button)
{
    (void)window;
    return button != 0 && button == held;
}

static struct bindings bindings;
static struct viewport viewport;
static struct controls controls;

static void set_up(void)
{
    bindings = bindings_default();
    viewport = viewport_fit(view, view_window);
    viewport.eye = (raim_vec2){123, -45};
    controls = (struct controls){0};
    pad = (struct window_pad){0};
    mouse = (raim_vec2){1200, 500};
    held = 0;
}

TEST_EACH(set_up, NULL)

static void press(window_button button, raim_vec2 at)
{
    const struct window_event event = {.kind = WINDOW_PRESSED, .button = button, .mouse = at};
    controls_handle(&controls, &bindings, &event, &viewport);
}

static raim_input take(void)
{
    const raim_input input = controls_read(&controls, NULL, &bindings, &viewport);
    controls_clear_latch(&controls);
    return input;
}

TEST(a_press_counts_for_one_tick)
{
    press(window_button_named("D"), mouse);
    press(window_button_named("Mouse 1"), mouse);
    raim_input input = take();
    assert_int_equal(input.move_x, 1);
    assert_int_equal(input.fire, 1);
    input = take();
    assert_int_equal(input.move_x, 0);
    assert_int_equal(input.fire, 0);
}

TEST(a_held_key_counts_until_it_is_released)
{
    held = window_button_named("W");
    press(held, mouse);
    for (int tick = 0; tick < 3; tick++)
        assert_int_equal(take().move_y, 1);
    held = 0;
    assert_int_equal(take().move_y, 0);
}

TEST(a_click_shoots_where_the_mouse_was)
{
    const raim_vec2 middle = viewport.middle;
    press(window_button_named("Mouse 1"), (raim_vec2){middle.x, middle.y - 100});
    assert_int_equal(take().aim, RAIM_ANGLE_TURN / 4); // up, though the mouse is at the right now
    assert_int_equal(take().aim, 0);
}

TEST(the_crosshair_lies_on_the_ray_of_the_gamepad)
{
    take();
    for (int degrees = 0; degrees < 360; degrees += 15) {
        const double angle = degrees * 3.14159265358979 / 180;
        pad.right = (raim_vec2){0.8 * cos(angle), 0.8 * sin(angle)};
        const raim_input input = take();
        const raim_vec2 at = controls_crosshair(&controls, NULL, &viewport);
        const raim_vec2 way = raim_vec2_sub(viewport_to_world(&viewport, at), viewport.eye);
        const int off = (int16_t)(uint16_t)(raim_angle_of(way) - input.aim);
        assert_in_range(off + 2, 0, 4);
        assert_true(raim_vec2_length(way) > 100);
        assert_true(fabs(way.y) < view.y / 2);
    }
    // The stick at rest keeps the aim, and the mouse takes it over.
    pad.right = (raim_vec2){0, 0};
    const raim_angle kept = take().aim;
    assert_int_equal(take().aim, kept);
    mouse = (raim_vec2){viewport.middle.x - 50, viewport.middle.y};
    assert_int_equal(take().aim, RAIM_ANGLE_TURN / 2);
    const raim_vec2 at = controls_crosshair(&controls, NULL, &viewport);
    assert_true(at.x == mouse.x && at.y == mouse.y);
}

TEST(the_left_stick_has_eight_directions)
{
    for (int degrees = 0; degrees < 360; degrees += 45) {
        for (int off = -20; off <= 20; off += 10) {
            const double angle = (degrees + off) * 3.14159265358979 / 180;
            pad.left = (raim_vec2){cos(angle), sin(angle)};
            const raim_input input = take();
            const double wanted = degrees * 3.14159265358979 / 180;
            assert_int_equal(input.move_x, (int)lround(cos(wanted)));
            assert_int_equal(input.move_y, (int)lround(sin(wanted)));
        }
    }
    pad.left = (raim_vec2){0.2, 0};
    assert_int_equal(take().move_x, 0);
}

TEST(a_button_of_the_gamepad_fires_along_its_aim)
{
    pad.right = (raim_vec2){0, 1};
    take();
    press(window_button_named("Pad righttrigger"), mouse);
    pad.right = (raim_vec2){0, 0};
    const raim_input input = take();
    assert_int_equal(input.fire, 1);
    assert_int_equal(input.aim, RAIM_ANGLE_TURN / 4);
}
