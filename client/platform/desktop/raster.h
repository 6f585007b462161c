// SPDX-License-Identifier: MIT
// Software rasterizer: fills boxes and triangles with colours in pixels in memory, several times
// faster than SDL's, which blends the bounding box of every triangle. Pure.
#pragma once

#include "canvas.h"

// Pixels of 32 bits, 0x00RRGGBB, and the part of them that may change: left <= x < right, top <= y
// < bottom, which must lie within the pixels.
struct raster {
    uint32_t *pixels;
    int stride; // pixels from a row to the next
    int left, top, right, bottom;
};

// Blends a triangle whose colour changes linearly between its corners. A pixel belongs to the
// triangle in which its middle lies, so that triangles with a common edge neither overlap nor leave
// a gap.
void raster_triangle(const struct raster *raster, const struct canvas_vertex corners[3]);

// Blends a box of whole pixels: left <= x < right, top <= y < bottom.
void raster_box(const struct raster *raster, int left, int top, int right, int bottom,
                draw_colour colour);
