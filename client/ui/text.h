// SPDX-License-Identifier: MIT
// Text on the screen. The canvas has letters for all languages; Arabic and Hebrew run from right to
// left, and mixed lines keep the order of their parts.
#pragma once

#include "draw.h"

#include <stdbool.h>
#include <stddef.h>

struct text;

// The height of a line whose letters are 12 pixels high by the font's own measure.
#define TEXT_SMALLEST 14.0

enum text_weight { TEXT_PLAIN, TEXT_BOLD };

// Where the given x lies in the line of text.
enum text_align {
    TEXT_LEFT,
    TEXT_CENTRE,
    TEXT_RIGHT,
};

struct text_style {
    double size; // pixels; about the height of a line, and at least TEXT_SMALLEST
    enum text_weight weight;
    enum text_align align;
    draw_colour colour;
    bool outlined; // legible on any background
};

// Borrows both. NULL when memory runs out.
struct text *text_create(struct canvas *canvas, struct draw *draw);
void text_destroy(struct text *text);

// What the cached lines take in textures, at most TEXT_TEXTURE_BYTES: a server may send ever new
// texts.
enum { TEXT_TEXTURE_BYTES = 64 << 20 };
size_t text_texture_bytes(const struct text *text);

// Writes a line of UTF-8 whose top is at `top.y`, and returns its width.
double text_write(struct text *text, raim_vec2 top, const struct text_style *style,
                  const char *line);

// The width of a line, pixels.
double text_width(struct text *text, const struct text_style *style, const char *line);

// The height of a line in pixels.
double text_height(const struct text_style *style);

// Writes a line that is at most `width` pixels wide: where it is wider, its end is replaced by an
// ellipsis. Returns its width.
double text_write_within(struct text *text, raim_vec2 top, const struct text_style *style,
                         const char *line, double width);

// The longest end of a line that is at most `width` pixels wide, for fields in which it is typed.
const char *text_end_within(struct text *text, const struct text_style *style, const char *line,
                            double width);

// A text in lines of at most `width` pixels, broken between words where possible. Bytes beyond
// TEXT_WRAPPED_LINES lines are left out.
enum { TEXT_WRAPPED_LINES = 8 };
struct text_lines {
    int count;
    struct {
        int first, length; // bytes of the text
    } lines[TEXT_WRAPPED_LINES];
};
const struct text_lines *text_wrap(struct text *text, const struct text_style *style,
                                   const char *words, double width);

// Writes a text wrapped in that way, and returns its height.
double text_write_wrapped(struct text *text, raim_vec2 top, const struct text_style *style,
                          const char *words, double width);
