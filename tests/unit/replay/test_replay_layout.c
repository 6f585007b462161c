// SPDX-License-Identifier: MIT
// No two controls of a recording overlap or leave the footer, at any size.
#include "test.h"
#include "timeline.h"

static bool is_shown(raim_box box)
{
    return box.max.x > box.min.x && box.max.y > box.min.y;
}

static bool overlap(raim_box a, raim_box b)
{
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

static void check(double width, double height)
{
    const raim_box footer = {{0, 500}, {width, 500 + height}};
    const struct replay_layout layout = replay_layout_of(footer);
    for (int i = 0; i < REPLAY_PARTS; i++) {
        const raim_box box = layout.boxes[i];
        if (!is_shown(box))
            continue;
        if (box.min.x < footer.min.x || box.max.x > footer.max.x || box.min.y < footer.min.y ||
            box.max.y > footer.max.y)
            fail_msg("part %d leaves a footer of %gx%g", i, width, height);
        for (int k = 0; k < i; k++)
            if (is_shown(layout.boxes[k]) && overlap(box, layout.boxes[k]))
                fail_msg("parts %d and %d overlap in %gx%g", i, k, width, height);
    }
    assert_true(is_shown(layout.boxes[REPLAY_BAR]));
    assert_true(is_shown(layout.boxes[REPLAY_PLAY]));
}

TEST(nothing_overlaps_at_any_size)
{
    for (double width = 320; width < 4000; width += 13)
        for (double scale = 0.6; scale <= 4; scale *= 1.25)
            if (width >= 160 * scale) // the window's least size has a scale of 0.75 to 2
                check(width, REPLAY_FOOTER_POINTS * scale);
}

TEST(usual_windows_have_all_controls)
{
    // 800x600, 1600x900 and 3440x1440 with their scales
    static const double widths[] = {800, 1600, 3440}, scales[] = {0.8, 1.25, 2};
    for (int i = 0; i < 3; i++) {
        const raim_box footer = {{0, 0}, {widths[i], REPLAY_FOOTER_POINTS * scales[i]}};
        const struct replay_layout layout = replay_layout_of(footer);
        for (int part = 0; part < REPLAY_PARTS; part++)
            assert_true(is_shown(layout.boxes[part]));
    }
}
