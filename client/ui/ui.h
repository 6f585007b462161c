// SPDX-License-Identifier: MIT
// What everything that is drawn gets: shapes, texts, and where the view of this frame lies in the
// window.
#pragma once

#include "draw.h"
#include "text.h"
#include "window.h"

#include <stdbool.h>

struct ui {
    struct draw *draw;
    struct text *text;
    raim_box area;   // of the view, pixels
    raim_box footer; // at the bottom of the window, below the view; empty: none
    double unit;     // scale of text and lines: about 1 where the view is 1280 pixels wide
};

// Opens what draws on a window's canvas, which must outlive it. False when memory runs out.
bool ui_open(struct ui *ui, struct window *window);

// Takes one that was not opened, all zero.
void ui_close(struct ui *ui);

struct ui_view {
    raim_vec2 size;       // units
    double scale;         // of text and lines: the player's factor
    double footer_points; // height at the bottom of the window that the view leaves free; 0: none
    bool fine;            // see window_begin
};

// Begins a frame for a view. False after printing why nothing can be drawn.
bool ui_begin(struct ui *ui, struct window *window, const struct ui_view *view);

// Ends the frame: writes it to a BMP file, unless `file` is NULL, and shows it. False after
// printing why the file could not be written.
bool ui_end(struct ui *ui, struct window *window, const char *file);

// Draws a panel with a rim, as fields and buttons have, at a scale of lines.
void ui_frame(const struct ui *ui, double unit, raim_box box, draw_colour rim, draw_colour fill);

// The rim of a button, which is lit under the mouse.
draw_colour ui_rim(bool is_lit);

// The part of the canvas above a view's footer, pixels.
raim_box ui_room(const struct window *window, const struct ui_view *view);
