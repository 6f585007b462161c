// SPDX-License-Identifier: MIT
// The canvas of the desktop: SDL's renderer or, where that is software, the rasterizer in the same
// pixels; and SDL_ttf's fonts.
#pragma once

#include "canvas.h"

#include "raster.h"

struct SDL_Renderer;
struct canvas_fonts;

struct canvas {
    struct SDL_Renderer *renderer; // NULL: none at the moment
    uint32_t generation;
    bool has_raster;
    int width, height; // of the raster's pixels
    struct raster raster;
    struct canvas_fonts *fonts;
};

// NULL, after printing why, where the fonts are missing; NULL when memory runs out.
struct canvas *canvas_create(void);
void canvas_destroy(struct canvas *canvas);

// Draws with another renderer from now on, which is borrowed. Lines that were made are lost.
void canvas_use_renderer(struct canvas *canvas, struct SDL_Renderer *renderer);

// Draws shapes into these pixels from now on, 0x00RRGGBB in rows of `stride` pixels, which must be
// those that the renderer draws into; NULL: by the renderer.
void canvas_use_pixels(struct canvas *canvas, uint32_t *pixels, int width, int height, int stride);

// In canvas_text.c:

// NULL, after printing why, where the fonts are missing; NULL when memory runs out.
struct canvas_fonts *canvas_fonts_create(void);
void canvas_fonts_destroy(struct canvas_fonts *fonts);
