// SPDX-License-Identifier: MIT
// Shapes with soft edges on a canvas. Coordinates are pixels with y down; fractions are drawn too,
// so that slow motion is smooth. Later shapes cover earlier ones.
#pragma once

#include "canvas.h"

struct draw;

// Borrows the canvas. NULL when memory runs out.
struct draw *draw_create(struct canvas *canvas);
void draw_destroy(struct draw *draw);

// A fainter colour: `part` of the opacity, 0 to 1.
draw_colour draw_faded(draw_colour colour, double part);

// Mixes two colours: the first at a part of 0, the second at 1.
draw_colour draw_mixed(draw_colour first, draw_colour second, double part);

// Limits the following shapes to a box; NULL: no limit.
void draw_clip(struct draw *draw, const raim_box *box);

void draw_disc(struct draw *draw, raim_vec2 centre, double radius, draw_colour colour);

// Part of a ring around `centre`, whose middle line has this radius. Angles are radians, clockwise
// from the right.
void draw_arc(struct draw *draw, raim_vec2 centre, double radius, double width, double from,
              double to, draw_colour colour);
void draw_ring(struct draw *draw, raim_vec2 centre, double radius, double width,
               draw_colour colour);

// Light that fades from the centre to nothing at the radius.
void draw_glow(struct draw *draw, raim_vec2 centre, double radius, draw_colour colour);

// A line with a colour gradient from end to end.
void draw_line(struct draw *draw, raim_vec2 from, raim_vec2 to, double width,
               draw_colour from_colour, draw_colour to_colour);

void draw_triangle(struct draw *draw, const raim_vec2 corners[3], draw_colour colour);

// A quadrilateral by its corners in order, with a colour gradient between them.
void draw_quad(struct draw *draw, const raim_vec2 corners[4], const draw_colour colours[4]);
void draw_box(struct draw *draw, raim_box box, draw_colour colour);

// A box with round corners, on whole pixels.
void draw_panel(struct draw *draw, raim_box box, double radius, draw_colour colour);

// Lines through points.
void draw_curve(struct draw *draw, const raim_vec2 *points, int count, double width,
                draw_colour colour);

// Passes everything drawn so far to the canvas. Call it before other code draws there.
void draw_flush(struct draw *draw);
