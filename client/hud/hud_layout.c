// SPDX-License-Identifier: MIT
// Lays out the head-up display in three columns over the view: left kills above chat, in the middle
// the clock above the table or the countdown, right scores above the network graph.
#include "hud_layout.h"

// Parts of the view's width at which the columns begin and end.
static const double left_end = 0.31, middle_begin = 0.325, middle_end = 0.675, right_begin = 0.69;

// Parts of the height.
static const double kills_end = 0.36, scores_end = 0.45;

static const double margin_points = 12, gap_points = 8, banner_points = 84;

// The least room for the network graph in a bar, points.
static const double bar_width_points = 170, bar_height_points = 64;

static raim_box box(double left, double top, double right, double bottom)
{
    return (raim_box){{left, top}, {fmax(left, right), fmax(top, bottom)}};
}

// The bar at the right or below, if the graph has room in it; otherwise an empty box.
static raim_box find_bar(const struct hud_frame *frame)
{
    const raim_box window = frame->window, area = frame->area;
    const double gap = gap_points * frame->unit;
    if (window.max.x - area.max.x >= bar_width_points * frame->unit)
        return box(area.max.x + gap, window.min.y + gap, window.max.x - gap, window.max.y - gap);
    if (window.max.y - area.max.y >= bar_height_points * frame->unit)
        return box(window.min.x + gap, area.max.y + gap, window.max.x - gap, window.max.y - gap);
    return (raim_box){{0, 0}, {0, 0}};
}

struct hud_layout hud_layout_of(const struct hud_frame *frame)
{
    struct hud_layout layout = {.clock = {{0, 0}, {0, 0}}};
    const raim_box area = frame->area;
    const double width = area.max.x - area.min.x, height = area.max.y - area.min.y;
    const double unit = frame->unit, gap = gap_points * unit;
    const double margin = fmin(margin_points * unit, height / 20);
    const double left = area.min.x + margin, right = area.max.x - margin;
    const double top = area.min.y + margin;
    const double middle = area.min.x + middle_begin * width,
                 middle_right = area.min.x + middle_end * width;
    const double hint_height = frame->hint_lines > 0 ? frame->hint_lines * frame->line + gap : 0;
    const double bottom = area.max.y - margin - hint_height;
    layout.hint = box(left, bottom + (hint_height > 0 ? gap / 2 : 0), right, area.max.y - margin);
    if (frame->hint_lines == 0)
        layout.hint = (raim_box){{0, 0}, {0, 0}};

    const double head = fmin(frame->has_banner ? banner_points * unit : 26 * unit, height / 4);
    const raim_box heading = box(middle, top, middle_right, top + fmax(head, 1.6 * frame->line));
    if (frame->has_banner)
        layout.banner = heading;
    else
        layout.clock = heading;
    double body_top = heading.max.y + gap;
    if (frame->vote_height > 0) { // at most half of the column
        const double most = (bottom - body_top) / 2 - gap;
        layout.vote =
            box(middle, body_top, middle_right, body_top + fmin(frame->vote_height, most));
        body_top = layout.vote.max.y + gap;
    }
    const raim_box body = box(middle, body_top, middle_right, bottom);
    if (frame->has_table)
        layout.table = body;
    else
        layout.death = body;

    const double kills = top + kills_end * (bottom - top);
    layout.kills = box(left, top, area.min.x + left_end * width, kills);
    layout.chat = box(left, kills + gap, area.min.x + left_end * width, bottom);

    const double scores = top + scores_end * (bottom - top);
    const double column = area.min.x + right_begin * width;
    if (!frame->has_table)
        layout.scores = box(column, top, right, scores);
    if (!frame->has_graph)
        return layout;
    layout.graph = find_bar(frame);
    if (layout.graph.max.x <= layout.graph.min.x)
        layout.graph = box(column, scores + gap, right, bottom);
    return layout;
}
