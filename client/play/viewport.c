// SPDX-License-Identifier: MIT
// Fits a view into a window.
#include "viewport.h"

#include <assert.h>

struct viewport viewport_fit(raim_vec2 view, raim_vec2 window)
{
    assert(view.x > 0);
    assert(view.y > 0);
    const raim_vec2 room = {fmax(window.x, 1), fmax(window.y, 1)};
    return (struct viewport){
        .view = view,
        .middle = raim_vec2_scale(room, 0.5),
        .scale = fmin(room.x / view.x, room.y / view.y),
    };
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
