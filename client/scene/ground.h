// SPDX-License-Identifier: MIT
// Draws the ground of a picture, below players and bullets: the floor, what of it is in sight,
// debris, obstacles, the arena's border and what lies beyond.
#pragma once

#include "effects.h"
#include "picture.h"
#include "ui.h"

// The arguments that all parts of the drawing need.
struct paint {
    const struct ui *ui;
    struct draw *draw;
    const struct viewport *viewport;
    const struct picture *picture;
    raim_box seen; // units
};

static inline raim_vec2 paint_at(const struct paint *paint, raim_vec2 world)
{
    return viewport_to_screen(paint->viewport, world);
}

// Turns a direction of the world, with y up, into one of the screen.
static inline raim_vec2 paint_flipped(raim_vec2 direction)
{
    return (raim_vec2){direction.x, -direction.y};
}

// The picture has a map.
void ground_paint(const struct paint *paint, const struct effects *effects);
