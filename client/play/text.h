// SPDX-License-Identifier: MIT
// Text on the screen, in DejaVu Sans.
#pragma once

#include "draw.h"

#include <stdbool.h>

struct text;

enum text_weight { TEXT_PLAIN, TEXT_BOLD, TEXT_WEIGHTS };

// Where the given x lies in the line of text.
enum text_align {
    TEXT_LEFT,
    TEXT_CENTRE,
    TEXT_RIGHT,
};

struct text_style {
    double size; // pixels; about the height of a line
    enum text_weight weight;
    enum text_align align;
    draw_colour colour;
    bool outlined; // legible on any background
};

// Borrows both. NULL, after printing an error, when the fonts are missing; NULL when memory runs
// out.
struct text *text_create(struct SDL_Renderer *renderer, struct draw *draw);
void text_destroy(struct text *text);

// Writes a line of UTF-8 whose top is at `top.y`, and returns its width.
double text_write(struct text *text, raim_vec2 top, const struct text_style *style,
                  const char *line);

// The width of a line, pixels.
double text_width(struct text *text, const struct text_style *style, const char *line);
