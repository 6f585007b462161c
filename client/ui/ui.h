// SPDX-License-Identifier: MIT
// What everything that is drawn gets: shapes, texts, and where the view of this frame lies in the
// window.
#pragma once

#include "draw.h"
#include "text.h"
#include "vec2.h"
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

// Viewport: converts between world and screen coordinates. World coordinates are units with y up,
// screen coordinates are pixels with y down from the top left corner of the canvas. Pure.

// A view in a window. The whole view and nothing more is shown, as large as possible and in the
// middle, whatever the window's shape; bars fill the rest.
struct viewport {
    raim_vec2 view;   // size of what is shown, units
    raim_vec2 eye;    // middle of the view, units
    raim_vec2 middle; // of the screen, where the eye is shown, pixels
    double scale;     // pixels per unit
};

// Fits a view of this size (units, > 0) into a window of this size (pixels; a side below 1 counts
// as 1). The eye is the origin.
struct viewport viewport_fit(raim_vec2 view, raim_vec2 window);

// Fits it into a part of the window, pixels.
struct viewport viewport_fit_in(raim_vec2 view, raim_box room);

raim_vec2 viewport_to_screen(const struct viewport *viewport, raim_vec2 world);
raim_vec2 viewport_to_world(const struct viewport *viewport, raim_vec2 screen);

// The part of the world that is shown, units, and where it is on the screen, pixels.
raim_box viewport_seen(const struct viewport *viewport);
raim_box viewport_area(const struct viewport *viewport);
