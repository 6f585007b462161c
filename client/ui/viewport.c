// SPDX-License-Identifier: MIT
// Fits a view into a window.
#include "viewport.h"

#include <assert.h>

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
