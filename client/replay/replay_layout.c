// SPDX-License-Identifier: MIT
// Lays out the controls of a recording: the timeline above a row of buttons.
#include "replay_layout.h"

static const double margin_points = 12, gap_points = 6, bar_points = 26, row_points = 32;
static const double least_who_points = 90;

// The widths, from the left, and of the two at the right end.
static const double widths[REPLAY_PARTS] = {
    [REPLAY_STEP_BACK] = 32, [REPLAY_PLAY] = 44,  [REPLAY_STEP_FORWARD] = 32,
    [REPLAY_SLOWER] = 28,    [REPLAY_SPEED] = 52, [REPLAY_FASTER] = 28,
    [REPLAY_TIME] = 170,     [REPLAY_SENT] = 104, [REPLAY_FLY] = 62,
};

struct replay_layout replay_layout_of(raim_box footer)
{
    struct replay_layout layout = {.unit = (footer.max.y - footer.min.y) / REPLAY_FOOTER_POINTS};
    const double unit = layout.unit, gap = gap_points * unit;
    const double left = footer.min.x + margin_points * unit;
    const double right = footer.max.x - margin_points * unit;
    const double top = footer.min.y + 0.75 * gap;
    layout.boxes[REPLAY_BAR] = (raim_box){{left, top}, {right, top + bar_points * unit}};
    const double row = top + bar_points * unit + gap, bottom = row + row_points * unit;
    double x = left, end = right;
    bool has_room = true;
    for (int part = REPLAY_STEP_BACK; part <= REPLAY_TIME; part++) {
        const double width = widths[part] * unit;
        has_room = has_room && x + width <= right;
        if (!has_room)
            continue;
        layout.boxes[part] = (raim_box){{x, row}, {x + width, bottom}};
        x += width + gap;
    }
    for (int part = REPLAY_FLY; part >= REPLAY_SENT; part--) {
        const double width = widths[part] * unit;
        has_room = has_room && end - width >= x;
        if (!has_room)
            continue;
        layout.boxes[part] = (raim_box){{end - width, row}, {end, bottom}};
        end -= width + gap;
    }
    if (has_room && end - x >= least_who_points * unit)
        layout.boxes[REPLAY_WHO] = (raim_box){{x, row}, {end, bottom}};
    return layout;
}
