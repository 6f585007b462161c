// SPDX-License-Identifier: MIT
// Tests of the viewport: the coordinate transforms are inverse, and every window shape shows one
// part of the world.
#include "chance.h"
#include "frame_times.h"
#include "test.h"
#include "ui.h"

static const raim_vec2 VIEW = {1600, 861};

static const raim_vec2 WINDOWS[] = {
    {800, 600}, {1280, 720}, {1920, 1080}, {3440, 1440}, {900, 1600}, {1600, 861}, {641, 479},
};
enum { WINDOW_COUNT = sizeof WINDOWS / sizeof *WINDOWS };

static struct viewport fit(raim_vec2 window, raim_vec2 eye)
{
    struct viewport viewport = viewport_fit(VIEW, window);
    viewport.eye = eye;
    return viewport;
}

static raim_vec2 chance_eye(void)
{
    return (raim_vec2){chance_between(-16000, 16000), chance_between(-16000, 16000)};
}

static void assert_near(raim_vec2 a, raim_vec2 b, double tolerance)
{
    assert_true(fabs(a.x - b.x) < tolerance && fabs(a.y - b.y) < tolerance);
}

// As the mouse has it: whole pixels.
TEST(a_pixel_comes_back_to_less_than_half_a_pixel)
{
    for (int i = 0; i < WINDOW_COUNT; i++) {
        for (int n = 0; n < 10000; n++) {
            const struct viewport viewport = fit(WINDOWS[i], chance_eye());
            const raim_vec2 pixel = {chance_int(0, (int)WINDOWS[i].x),
                                     chance_int(0, (int)WINDOWS[i].y)};
            const raim_vec2 world = viewport_to_world(&viewport, pixel);
            assert_near(viewport_to_screen(&viewport, world), pixel, 1e-6);
            // Quantization of the angle and of the wire's grid moves a point by 1/64 unit at most.
            const raim_vec2 told = {round(world.x * 32) / 32, round(world.y * 32) / 32};
            assert_near(viewport_to_screen(&viewport, told), pixel, 0.5);
        }
    }
}

TEST(a_place_comes_back)
{
    for (int i = 0; i < WINDOW_COUNT; i++) {
        const struct viewport viewport = fit(WINDOWS[i], chance_eye());
        const raim_vec2 world = raim_vec2_add(
            viewport.eye, (raim_vec2){chance_between(-800, 800), chance_between(-430, 430)});
        const raim_vec2 screen = viewport_to_screen(&viewport, world);
        assert_near(viewport_to_world(&viewport, screen), world, 1e-6);
    }
}

TEST(every_window_shows_the_same_part_of_the_world)
{
    for (int i = 0; i < WINDOW_COUNT; i++) {
        const struct viewport viewport = fit(WINDOWS[i], (raim_vec2){100, -50});
        const raim_box area = viewport_area(&viewport);
        const raim_box seen = viewport_seen(&viewport);
        assert_near(seen.min, (raim_vec2){100 - 800, -50 - 430.5}, 1e-9);
        assert_near(seen.max, (raim_vec2){100 + 800, -50 + 430.5}, 1e-9);
        // y points up in the world and down on the screen.
        assert_near(viewport_to_screen(&viewport, seen.min), (raim_vec2){area.min.x, area.max.y},
                    1e-6);
        assert_near(viewport_to_screen(&viewport, seen.max), (raim_vec2){area.max.x, area.min.y},
                    1e-6);
    }
}

TEST(the_area_is_in_the_middle_and_touches_two_sides)
{
    for (int i = 0; i < WINDOW_COUNT; i++) {
        const raim_vec2 window = WINDOWS[i];
        const struct viewport viewport = fit(window, (raim_vec2){0, 0});
        const raim_box area = viewport_area(&viewport);
        assert_near(raim_vec2_add(area.min, area.max), window, 1e-6);
        const double bar_x = area.min.x, bar_y = area.min.y;
        assert_true(bar_x > -1e-6 && bar_y > -1e-6);
        assert_true(fmin(bar_x, bar_y) < 1e-6);
        const raim_vec2 size = raim_vec2_sub(area.max, area.min);
        assert_true(fabs(size.x / size.y - VIEW.x / VIEW.y) < 1e-9);
    }
}

TEST(a_resize_keeps_what_is_under_the_middle_and_at_the_rim)
{
    const raim_vec2 eye = {-321.5, 77.25};
    for (int i = 0; i < WINDOW_COUNT; i++) {
        for (int j = 0; j < WINDOW_COUNT; j++) {
            const struct viewport before = fit(WINDOWS[i], eye), after = fit(WINDOWS[j], eye);
            const raim_vec2 places[] = {eye, viewport_seen(&before).min, {-400, 100}};
            for (int k = 0; k < 3; k++) {
                const raim_vec2 screen = viewport_to_screen(&after, places[k]);
                const raim_box area = raim_box_grow(viewport_area(&after), 1e-6);
                assert_true(raim_box_contains(area, screen));
                assert_near(viewport_to_world(&after, screen), places[k], 1e-6);
            }
        }
    }
}

TEST(a_window_of_nothing_is_survived)
{
    const struct viewport viewport = fit((raim_vec2){0, 0}, (raim_vec2){5, 5});
    assert_true(viewport.scale > 0);
    assert_near(viewport_to_world(&viewport, viewport.middle), (raim_vec2){5, 5}, 1e-9);
}

// --- Frame times ---

// The rate and the percentiles of frame times.

TEST(nothing_is_reported_before_the_second_frame)
{
    static struct frame_times times;
    assert_float_equal(frame_times_summary(&times).hz, 0, 0);
    frame_times_take(&times, 5);
    assert_float_equal(frame_times_summary(&times).p99_ms, 0, 0);
}

TEST(slow_frames_show_in_the_99th_percentile)
{
    static struct frame_times times;
    double now_s = 1;
    frame_times_take(&times, now_s);
    for (int i = 0; i < 5000; i++)
        frame_times_take(&times, now_s += i % 50 == 0 ? 0.040 : 0.010);
    const struct frame_summary summary = frame_times_summary(&times);
    assert_float_equal(summary.p50_ms, 10, 0.01);
    assert_float_equal(summary.p99_ms, 40, 0.01);
    assert_float_equal(summary.hz, 94.34, 0.2); // 1 / (0.98 * 10 ms + 0.02 * 40 ms)
}

TEST(a_pause_is_no_frame)
{
    static struct frame_times times;
    for (int i = 1; i < 10; i++)
        frame_times_take(&times, i * 0.02);
    for (int i = 1; i < 10; i++)
        frame_times_take(&times, 100 + i * 0.02);
    assert_float_equal(frame_times_summary(&times).p99_ms, 20, 0.01);
}
