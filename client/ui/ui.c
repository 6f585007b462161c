// SPDX-License-Identifier: MIT
// Lays out each frame in the window.
#include "ui.h"

#include "palette.h"

#include <assert.h>
#include <math.h>

bool ui_open(struct ui *ui, struct window *window)
{
    struct canvas *canvas = window_canvas(window);
    *ui = (struct ui){.draw = draw_create(canvas)};
    ui->text = ui->draw != NULL ? text_create(canvas, ui->draw) : NULL;
    return ui->text != NULL;
}

void ui_close(struct ui *ui)
{
    text_destroy(ui->text);
    draw_destroy(ui->draw);
    *ui = (struct ui){0};
}

// The scale of text and lines for a view of this width. Text stays legible in small windows.
static double unit_of(const struct window *window, const struct ui_view *view, double width)
{
    return fmax(width / 1280, 0.8 * window_pixel_ratio(window)) * view->scale;
}

raim_box ui_room(const struct window *window, const struct ui_view *view)
{
    const raim_vec2 size = window_size(window);
    const double unit = unit_of(window, view, fmin(size.x, size.y * 16 / 9)); // for wide windows
    const double footer = fmin(view->footer_points * unit, 0.4 * size.y);
    return (raim_box){{0, 0}, {size.x, floor(size.y - footer)}};
}

bool ui_begin(struct ui *ui, struct window *window, const struct ui_view *view)
{
    if (!window_begin(window, view->fine))
        return false;
    const raim_box room = ui_room(window, view);
    const struct viewport viewport = viewport_fit_in(view->size, room);
    ui->area = viewport_area(&viewport);
    ui->footer = (raim_box){{0, room.max.y}, window_size(window)};
    ui->unit = unit_of(window, view, ui->area.max.x - ui->area.min.x);
    canvas_clear(window_canvas(window), ui->area, PALETTE_BAR);
    return true;
}

bool ui_end(struct ui *ui, struct window *window, const char *file)
{
    draw_flush(ui->draw);
    return window_end(window, file);
}

void ui_frame(const struct ui *ui, double unit, raim_box box, draw_colour rim, draw_colour fill)
{
    const raim_vec2 width = {1.5 * unit, 1.5 * unit};
    draw_panel(ui->draw, box, 6 * unit, rim);
    draw_panel(ui->draw, (raim_box){raim_vec2_add(box.min, width), raim_vec2_sub(box.max, width)},
               5 * unit, fill);
}

draw_colour ui_rim(bool is_lit)
{
    return is_lit ? PALETTE_WHITE : draw_mixed(PALETTE_CHOSEN, PALETTE_QUIET, 0.3);
}

struct viewport viewport_fit_in(raim_vec2 view, raim_box room)
{
    assert(view.x > 0);
    assert(view.y > 0);
    const raim_vec2 size = {fmax(room.max.x - room.min.x, 1), fmax(room.max.y - room.min.y, 1)};
    return (struct viewport){
        .view = view,
        .middle = raim_vec2_mad(room.min, size, 0.5),
        .scale = fmin(size.x / view.x, size.y / view.y),
    };
}

struct viewport viewport_fit(raim_vec2 view, raim_vec2 window)
{
    return viewport_fit_in(view, (raim_box){{0, 0}, window});
}

raim_vec2 viewport_to_screen(const struct viewport *viewport, raim_vec2 world)
{
    const raim_vec2 offset = raim_vec2_sub(world, viewport->eye);
    return raim_vec2_mad(viewport->middle, (raim_vec2){offset.x, -offset.y}, viewport->scale);
}

raim_vec2 viewport_to_world(const struct viewport *viewport, raim_vec2 screen)
{
    const raim_vec2 offset = raim_vec2_sub(screen, viewport->middle);
    return raim_vec2_mad(viewport->eye, (raim_vec2){offset.x, -offset.y}, 1 / viewport->scale);
}

static raim_box box_around(raim_vec2 middle, raim_vec2 size)
{
    return (raim_box){raim_vec2_mad(middle, size, -0.5), raim_vec2_mad(middle, size, 0.5)};
}

raim_box viewport_seen(const struct viewport *viewport)
{
    return box_around(viewport->eye, viewport->view);
}

raim_box viewport_area(const struct viewport *viewport)
{
    return box_around(viewport->middle, raim_vec2_scale(viewport->view, viewport->scale));
}
