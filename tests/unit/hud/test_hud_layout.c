// SPDX-License-Identifier: MIT
// No two parts of the head-up display that are shown together overlap, at any size.
#include "hud.h"

#include "test.h"
#include "ui.h"

static const raim_vec2 sizes[] = {{800, 600},  {1280, 720}, {1600, 900}, {2560, 1440}, {3440, 1440},
                                  {1024, 768}, {900, 1600}, {640, 480},  {1720, 720}};
static const raim_vec2 views[] = {{1600, 861}, {1600, 900}, {1000, 1000}};
static const double scales[] = {0.75, 1, 1.25, 1.5, 1.75, 2};

enum { PARTS = 11 };

static bool is_shown(raim_box box)
{
    return box.max.x > box.min.x && box.max.y > box.min.y;
}

static bool overlap(raim_box a, raim_box b)
{
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

static bool is_inside(raim_box inner, raim_box outer)
{
    return inner.min.x >= outer.min.x && inner.min.y >= outer.min.y && inner.max.x <= outer.max.x &&
           inner.max.y <= outer.max.y;
}

static struct hud_frame frame_of(raim_vec2 size, raim_vec2 view, double scale, unsigned flags)
{
    const struct viewport viewport = viewport_fit(view, size);
    const raim_box area = viewport_area(&viewport);
    const double unit = fmax((area.max.x - area.min.x) / 1280, 0.8) * scale;
    return (struct hud_frame){
        .window = {{0, 0}, size},
        .area = area,
        .unit = unit,
        .line = fmax(15 * unit, 14),
        .hint_lines = (int)(flags & 3),
        .has_table = (flags & 4) != 0,
        .has_banner = (flags & 8) != 0,
        .has_graph = (flags & 16) != 0,
        .round_height = (flags & 64) != 0 ? 4 * fmax(17 * unit, 14) : 0,
        .vote_height = (flags & 32) != 0 ? 4 * fmax(15 * unit, 14) + 36 * unit : 0,
    };
}

static void check(const struct hud_frame *frame)
{
    const struct hud_layout layout = hud_layout_of(frame);
    const raim_box boxes[PARTS] = {layout.clock,  layout.banner, layout.kills, layout.chat,
                                   layout.scores, layout.table,  layout.death, layout.graph,
                                   layout.hint,   layout.vote,   layout.round};
    static const char *const names[PARTS] = {"clock", "banner", "kills", "chat", "scores", "table",
                                             "death", "graph",  "hint",  "vote", "round"};
    const raim_vec2 size = frame->window.max;
    for (int i = 0; i < PARTS; i++) {
        if (!is_shown(boxes[i]))
            continue;
        if (!is_inside(boxes[i], i == 7 ? frame->window : frame->area))
            fail_msg("%s leaves %gx%g at unit %g", names[i], size.x, size.y, frame->unit);
        for (int k = 0; k < i; k++)
            if (is_shown(boxes[k]) && overlap(boxes[i], boxes[k]))
                fail_msg("%s and %s overlap at %gx%g, unit %g", names[i], names[k], size.x, size.y,
                         frame->unit);
    }
    // Each part that is wanted has room for a line.
    assert_true(layout.kills.max.y - layout.kills.min.y >= frame->line);
    assert_true(layout.chat.max.y - layout.chat.min.y >= 2 * frame->line);
    assert_int_equal(is_shown(layout.table), frame->has_table);
    assert_int_equal(is_shown(layout.scores), !frame->has_table);
    assert_int_equal(is_shown(layout.banner), frame->has_banner);
    assert_int_equal(is_shown(layout.graph), frame->has_graph);
    assert_int_equal(is_shown(layout.hint), frame->hint_lines > 0);
    assert_int_equal(is_shown(layout.vote), frame->vote_height > 0);
    assert_int_equal(is_shown(layout.round), frame->round_height > 0);
}

TEST(nothing_overlaps_at_any_size)
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t v = 0; v < sizeof views / sizeof *views; v++)
            for (size_t k = 0; k < sizeof scales / sizeof *scales; k++)
                for (unsigned flags = 0; flags < 128; flags++) {
                    const struct hud_frame frame = frame_of(sizes[s], views[v], scales[k], flags);
                    check(&frame);
                }
}

TEST(the_graph_lies_in_a_bar_that_has_arena)
{
    const raim_vec2 view = {1600, 861};
    struct hud_frame frame = frame_of((raim_vec2){3440, 1440}, view, 1, 16);
    assert_true(hud_layout_of(&frame).graph.min.x >= frame.area.max.x);
    frame = frame_of((raim_vec2){800, 600}, view, 1, 16);
    assert_true(hud_layout_of(&frame).graph.min.y >= frame.area.max.y);
    frame = frame_of((raim_vec2){1280, 720}, view, 1, 16);
    assert_true(is_inside(hud_layout_of(&frame).graph, frame.area));
}
