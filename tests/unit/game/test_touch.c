// SPDX-License-Identifier: MIT
// How fingers become sticks and presses. The test has a touch screen of its own.
#include "controls.h"
#include "test.h"

#include <math.h>

static const raim_vec2 size = {1688, 780}; // of a phone with a pixel ratio of 2
static const double ratio = 2;

static struct window_finger fingers[WINDOW_FINGERS];
static struct bindings bindings;
static struct touch touch;
static bool has_fingers;

const struct window_finger *__wrap_window_fingers(const struct window *window);
bool __wrap_window_has_fingers(const struct window *window);
raim_vec2 __wrap_window_size(const struct window *window);
double __wrap_window_pixel_ratio(const struct window *window);

const struct window_finger *__wrap_window_fingers(const struct window *window)
{
    (void)window;
    return fingers;
}

bool __wrap_window_has_fingers(const struct window *window)
{
    (void)window;
    return has_fingers;
}

raim_vec2 __wrap_window_size(const struct window *window)
{
    (void)window;
    return size;
}

double __wrap_window_pixel_ratio(const struct window *window)
{
    (void)window;
    return ratio;
}

static int set_up(void **state)
{
    (void)state;
    memset(fingers, 0, sizeof fingers);
    bindings = bindings_default();
    touch = (struct touch){0};
    has_fingers = false;
    return 0;
}

static void put(int finger, raim_vec2 from, raim_vec2 at)
{
    fingers[finger] = (struct window_finger){true, from, at};
}

// The press that a tap becomes; false: none.
static bool tap(raim_vec2 at, struct window_event *press)
{
    const struct window_event event = {.kind = WINDOW_TOUCHED, .mouse = at};
    return touch_translate(&touch, NULL, &bindings, &event, press);
}

// A finger on the left half, far to the right of where it was put down, moves to the right only.
TEST(the_left_half_moves, set_up, NULL)
{
    bool fires;
    put(0, (raim_vec2){400, 500}, (raim_vec2){700, 500});
    const struct window_pad pad = touch_pad(NULL, &fires);
    assert_true(fabs(pad.left.x - 1) < 1e-9 && fabs(pad.left.y) < 1e-9);
    assert_true(pad.right.x == 0 && pad.right.y == 0);
    assert_false(fires);
}

TEST(the_right_half_aims_and_far_out_fires, set_up, NULL)
{
    bool fires;
    put(3, (raim_vec2){1300, 500}, (raim_vec2){1300, 460}); // a third of the reach of 120 pixels
    struct window_pad pad = touch_pad(NULL, &fires);
    assert_true(pad.right.x == 0 && fabs(pad.right.y - 1 / 3.0) < 1e-9);
    assert_false(fires);
    fingers[3].at.y = 400;
    pad = touch_pad(NULL, &fires);
    assert_true(fires);
    fingers[3].is_down = false;
    touch_pad(NULL, &fires);
    assert_false(fires);
}

// Both at once, in whatever order they were put down.
TEST(two_thumbs_play, set_up, NULL)
{
    bool fires;
    put(0, (raim_vec2){1300, 500}, (raim_vec2){1500, 500});
    put(1, (raim_vec2){300, 600}, (raim_vec2){300, 800});
    const struct window_pad pad = touch_pad(NULL, &fires);
    assert_true(pad.left.y < -0.99 && pad.right.x > 0.99 && fires);
}

TEST(buttons_press_what_other_devices_have_keys_for, set_up, NULL)
{
    struct window_event press;
    bool fires;
    assert_true(tap((raim_vec2){60, 190}, &press)); // the first: the menu
    assert_true(press.opens_menu && press.command == COMMAND_BACK);
    assert_true(tap((raim_vec2){60, 295}, &press));
    assert_true(bindings_triggers(&bindings, ACTION_CHAT, press.button));
    assert_false(tap((raim_vec2){60, 400}, &press));
    assert_true(touch.shows_scores);
    assert_false(tap((raim_vec2){60, 400}, &press));
    assert_false(touch.shows_scores);
    // The finger on it does not move.
    put(0, (raim_vec2){60, 400}, (raim_vec2){400, 400});
    assert_true(touch_pad(NULL, &fires).left.x == 0);
}

TEST(a_vote_has_buttons_while_it_runs, set_up, NULL)
{
    struct window_event press;
    assert_true(tap((raim_vec2){60, 500}, &press));
    assert_true(press.button == 0 && press.command == COMMAND_ACCEPT);
    touch.has_vote = true;
    assert_true(tap((raim_vec2){60, 500}, &press));
    assert_true(bindings_triggers(&bindings, ACTION_VOTE_YES, press.button));
}

TEST(fingers_move_while_they_are_used, set_up, NULL)
{
    struct controls controls = {0};
    const struct viewport viewport = viewport_fit((raim_vec2){1600, 861}, size);
    put(0, (raim_vec2){400, 500}, (raim_vec2){700, 500});
    has_fingers = true;
    assert_true(controls_read(&controls, NULL, &bindings, &viewport).move_x > 0);
    has_fingers = false;
    assert_int_equal(controls_read(&controls, NULL, &bindings, &viewport).move_x, 0);
}
