// SPDX-License-Identifier: MIT
// Turns shapes into triangles whose outermost pixel fades out, and passes them to the canvas in
// large batches.
#include "draw.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { VERTICES = 8192, INDICES = 3 * VERTICES, MAX_SEGMENTS = 96 };

static const double pi = 3.14159265358979323846;
static const double soft = 0.5; // pixels on either side of an edge within which it fades out

struct draw {
    struct canvas *canvas;
    int vertex_count, index_count;
    struct canvas_vertex vertices[VERTICES];
    int indices[INDICES];
};

struct draw *draw_create(struct canvas *canvas)
{
    struct draw *draw = calloc(1, sizeof *draw);
    if (draw != NULL)
        draw->canvas = canvas;
    return draw;
}

void draw_destroy(struct draw *draw)
{
    free(draw);
}

draw_colour draw_faded(draw_colour colour, double part)
{
    colour.a = (uint8_t)(colour.a * fmin(fmax(part, 0), 1) + 0.5);
    return colour;
}

static uint8_t mixed(uint8_t first, uint8_t second, double part)
{
    return (uint8_t)(first + (second - first) * part + 0.5);
}

draw_colour draw_mixed(draw_colour first, draw_colour second, double part)
{
    part = fmin(fmax(part, 0), 1);
    return (draw_colour){mixed(first.r, second.r, part), mixed(first.g, second.g, part),
                         mixed(first.b, second.b, part), mixed(first.a, second.a, part)};
}

void draw_flush(struct draw *draw)
{
    if (draw->index_count > 0)
        canvas_triangles(draw->canvas, draw->vertices, draw->vertex_count, draw->indices,
                         draw->index_count);
    draw->vertex_count = draw->index_count = 0;
}

void draw_clip(struct draw *draw, const raim_box *box)
{
    draw_flush(draw);
    canvas_clip(draw->canvas, box);
}

static void reserve(struct draw *draw, int vertices, int indices)
{
    assert(vertices <= VERTICES);
    assert(indices <= INDICES);
    if (draw->vertex_count + vertices > VERTICES || draw->index_count + indices > INDICES)
        draw_flush(draw);
}

static int add_vertex(struct draw *draw, raim_vec2 point, draw_colour colour)
{
    draw->vertices[draw->vertex_count] =
        (struct canvas_vertex){(float)point.x, (float)point.y, colour};
    return draw->vertex_count++;
}

static void add_triangle(struct draw *draw, int a, int b, int c)
{
    int *indices = &draw->indices[draw->index_count];
    indices[0] = a, indices[1] = b, indices[2] = c;
    draw->index_count += 3;
}

// The number of segments with which a circle of this radius looks round.
static int segments_for(double radius)
{
    const int segments = (int)(6 + 4 * sqrt(fmax(radius, 0)));
    return segments < MAX_SEGMENTS ? segments : MAX_SEGMENTS;
}

static raim_vec2 on_circle(raim_vec2 centre, double radius, double angle)
{
    return raim_vec2_mad(centre, (raim_vec2){cos(angle), sin(angle)}, radius);
}

struct rim {
    double radius;
    draw_colour colour;
};

// Adds the rings between concentric rims, innermost first, from one angle to another.
static void add_bands(struct draw *draw, raim_vec2 centre, const struct rim *rims, int count,
                      double from, double to)
{
    const double radius = rims[count - 1].radius;
    const int segments = (int)ceil(segments_for(radius) * fabs(to - from) / (2 * pi));
    reserve(draw, (segments + 1) * count, segments * (count - 1) * 6);
    const int first = draw->vertex_count;
    for (int i = 0; i <= segments; i++) {
        const double angle = from + (to - from) * i / segments;
        for (int k = 0; k < count; k++)
            add_vertex(draw, on_circle(centre, rims[k].radius, angle), rims[k].colour);
    }
    for (int i = 0; i < segments; i++) {
        for (int k = 0; k + 1 < count; k++) {
            const int inner = first + i * count + k;
            add_triangle(draw, inner, inner + 1, inner + count);
            add_triangle(draw, inner + 1, inner + count + 1, inner + count);
        }
    }
}

void draw_disc(struct draw *draw, raim_vec2 centre, double radius, draw_colour colour)
{
    const struct rim rims[] = {
        {0, colour}, {fmax(radius - soft, 0), colour}, {radius + soft, draw_faded(colour, 0)}};
    add_bands(draw, centre, rims, 3, 0, 2 * pi);
}

void draw_arc(struct draw *draw, raim_vec2 centre, double radius, double width, double from,
              double to, draw_colour colour)
{
    // A line thinner than a pixel is drawn a pixel wide, but fainter.
    const double half = fmax(width, 1) / 2;
    const draw_colour full = draw_faded(colour, width);
    const draw_colour none = draw_faded(colour, 0);
    const struct rim rims[] = {{fmax(radius - half - soft, 0), none},
                               {fmax(radius - half + soft, 0), full},
                               {fmax(radius + half - soft, 0), full},
                               {fmax(radius + half + soft, 0), none}};
    if (from != to)
        add_bands(draw, centre, rims, 4, from, to);
}

void draw_ring(struct draw *draw, raim_vec2 centre, double radius, double width, draw_colour colour)
{
    draw_arc(draw, centre, radius, width, 0, 2 * pi, colour);
}

void draw_glow(struct draw *draw, raim_vec2 centre, double radius, draw_colour colour)
{
    const struct rim rims[] = {{0, colour},
                               {0.3 * radius, draw_faded(colour, 0.55)},
                               {0.6 * radius, draw_faded(colour, 0.18)},
                               {radius, draw_faded(colour, 0)}};
    add_bands(draw, centre, rims, 4, 0, 2 * pi);
}

void draw_line(struct draw *draw, raim_vec2 from, raim_vec2 to, double width,
               draw_colour from_colour, draw_colour to_colour)
{
    const raim_vec2 along = raim_vec2_sub(to, from);
    const double length = raim_vec2_length(along);
    if (length == 0)
        return;
    const raim_vec2 side = raim_vec2_scale((raim_vec2){-along.y, along.x}, 1 / length);
    const double half = fmax(width, 1) / 2;
    const double offsets[4] = {-half - soft, -half + soft, half - soft, half + soft};
    reserve(draw, 8, 18);
    const int first = draw->vertex_count;
    for (int i = 0; i < 4; i++) {
        const double part = i == 0 || i == 3 ? 0 : width;
        add_vertex(draw, raim_vec2_mad(from, side, offsets[i]), draw_faded(from_colour, part));
        add_vertex(draw, raim_vec2_mad(to, side, offsets[i]), draw_faded(to_colour, part));
    }
    for (int i = first; i < first + 6; i += 2) {
        add_triangle(draw, i, i + 1, i + 2);
        add_triangle(draw, i + 1, i + 3, i + 2);
    }
}

void draw_triangle(struct draw *draw, const raim_vec2 corners[3], draw_colour colour)
{
    reserve(draw, 3, 3);
    const int first = draw->vertex_count;
    for (int i = 0; i < 3; i++)
        add_vertex(draw, corners[i], colour);
    add_triangle(draw, first, first + 1, first + 2);
}

void draw_quad(struct draw *draw, const raim_vec2 corners[4], const draw_colour colours[4])
{
    reserve(draw, 4, 6);
    const int first = draw->vertex_count;
    for (int i = 0; i < 4; i++)
        add_vertex(draw, corners[i], colours[i]);
    add_triangle(draw, first, first + 1, first + 2);
    add_triangle(draw, first, first + 2, first + 3);
}

void draw_box(struct draw *draw, raim_box box, draw_colour colour)
{
    draw_flush(draw);
    canvas_box(draw->canvas, box, colour);
}

// Three boxes of whole pixels, and a quarter of a disc in each corner.
void draw_panel(struct draw *draw, raim_box box, double radius, draw_colour colour)
{
    const raim_vec2 min = {floor(box.min.x + 0.5), floor(box.min.y + 0.5)};
    const raim_vec2 max = {floor(box.max.x + 0.5), floor(box.max.y + 0.5)};
    const double bend = floor(fmin(radius, fmin(max.x - min.x, max.y - min.y) / 2));
    const double left = min.x + bend, right = max.x - bend;
    const double top = min.y + bend, bottom = max.y - bend;
    const struct rim rims[] = {
        {0, colour}, {fmax(bend - 2 * soft, 0), colour}, {bend, draw_faded(colour, 0)}};
    draw_box(draw, (raim_box){{left, min.y}, {right, top}}, colour);
    draw_box(draw, (raim_box){{min.x, top}, {max.x, bottom}}, colour);
    draw_box(draw, (raim_box){{left, bottom}, {right, max.y}}, colour);
    for (int corner = 0; corner < 4 && bend > 0; corner++) { // clockwise from the right bottom one
        const raim_vec2 centre = {corner % 3 == 0 ? right : left, corner < 2 ? bottom : top};
        add_bands(draw, centre, rims, 3, corner * pi / 2, (corner + 1) * pi / 2);
    }
}

void draw_curve(struct draw *draw, const raim_vec2 *points, int count, double width,
                draw_colour colour)
{
    for (int i = 0; i + 1 < count; i++)
        draw_line(draw, points[i], points[i + 1], width, colour, colour);
}
