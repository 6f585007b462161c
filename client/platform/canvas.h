// SPDX-License-Identifier: MIT
// What a platform draws with: triangles, boxes, and lines of letters. Coordinates are pixels with y
// down. Later shapes cover earlier ones.
#pragma once

#include "vec2.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct draw_colour {
    uint8_t r, g, b, a; // a: 255 is opaque, 0 invisible
} draw_colour;

struct canvas;

struct canvas_vertex {
    float x, y; // pixels; the middle of the first one is at 0.5, 0.5
    draw_colour colour;
};

// Fills everything outside of a box with a colour. What lies in the box may keep anything and must
// be drawn over.
void canvas_clear(struct canvas *canvas, raim_box kept, draw_colour colour);

// Limits the following shapes to a box of whole pixels; NULL: no limit.
void canvas_clip(struct canvas *canvas, const raim_box *box);

// Draws triangles whose colours change linearly between their corners, three indices each.
void canvas_triangles(struct canvas *canvas, const struct canvas_vertex *vertices, int vertex_count,
                      const int *indices, int index_count);
void canvas_box(struct canvas *canvas, raim_box box, draw_colour colour);

// Lines of letters are prepared once and drawn often.

// The size of a line in bytes of UTF-8 with its NUL; the rest of a longer one is left out.
enum { CANVAS_LINE_BYTES = 400 };

struct canvas_font {
    int em; // pixels
    bool is_bold;
    int outline; // width of the dark outline, pixels; 0: none
};

// Start from all zero.
struct canvas_line {
    int width, height; // without the outline, pixels
    size_t bytes;      // memory that the letters take; 0: nothing to draw
    void *letters;     // of the platform
};

// Increases when lines that were made before are lost: they must not be drawn or freed any more.
uint32_t canvas_generation(const struct canvas *canvas);

// The width of some words, pixels.
int canvas_measure(struct canvas *canvas, const struct canvas_font *font, const char *words);

void canvas_make_line(struct canvas *canvas, const struct canvas_font *font, const char *words,
                      struct canvas_line *line);

// Takes a line that was not made, all zero.
void canvas_free_line(struct canvas *canvas, struct canvas_line *line);

// Draws a line whose top left corner without the outline is at a whole pixel.
void canvas_draw_line(struct canvas *canvas, const struct canvas_line *line,
                      const struct canvas_font *font, raim_vec2 at, draw_colour colour);
