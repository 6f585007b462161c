// SPDX-License-Identifier: MIT
// Scan conversion with spans: for each row the edges give the first and the last pixel, and the
// colours at both. See Foley et al., Computer Graphics: Principles and Practice, 1990, section 3.5.
#include "raster.h"

#include <stdbool.h>
#include <stddef.h>

enum { RED_BLUE = 0xff00ff, GREEN = 0x00ff00 };

static uint32_t packed(draw_colour colour)
{
    return (uint32_t)colour.r << 16 | (uint32_t)colour.g << 8 | colour.b;
}

// Blends by a share of 0 to 256.
static uint32_t blended(uint32_t below, uint32_t above, uint32_t share)
{
    const uint32_t rest = 256 - share;
    const uint32_t red_blue = (below & RED_BLUE) * rest + (above & RED_BLUE) * share;
    const uint32_t green = (below & GREEN) * rest + (above & GREEN) * share;
    return (red_blue >> 8 & RED_BLUE) | (green >> 8 & GREEN);
}

static uint32_t share_of(uint32_t alpha)
{
    return alpha + (alpha >> 7);
}

static void fill(uint32_t *pixels, int count, uint32_t colour)
{
    for (int i = 0; i < count; i++)
        pixels[i] = colour;
}

static void blend(uint32_t *pixels, int count, uint32_t colour, uint32_t share)
{
    const uint32_t rest = 256 - share;
    const uint32_t red_blue = (colour & RED_BLUE) * share, green = (colour & GREEN) * share;
    for (int i = 0; i < count; i++) {
        const uint32_t below = pixels[i];
        pixels[i] = (((below & RED_BLUE) * rest + red_blue) >> 8 & RED_BLUE) |
                    (((below & GREEN) * rest + green) >> 8 & GREEN);
    }
}

static void blend_box(uint32_t *pixels, int count, draw_colour colour)
{
    if (colour.a == 255)
        fill(pixels, count, packed(colour));
    else if (colour.a > 0)
        blend(pixels, count, packed(colour), share_of(colour.a));
}

// Components of a colour in 16.16 fixed point: those of the first pixel, and the steps to the next.
struct slope {
    int32_t first[4], step[4]; // r, g, b, a
};

static void blend_fading(uint32_t *pixels, int count, uint32_t colour, const struct slope *slope)
{
    int32_t alpha = slope->first[3];
    for (int i = 0; i < count; i++) {
        pixels[i] = blended(pixels[i], colour, share_of((uint32_t)alpha >> 16));
        alpha += slope->step[3];
    }
}

static void blend_changing(uint32_t *pixels, int count, struct slope slope)
{
    for (int i = 0; i < count; i++) {
        const uint32_t colour = ((uint32_t)slope.first[0] & 0xff0000) |
                                ((uint32_t)slope.first[1] >> 8 & 0x00ff00) |
                                (uint32_t)slope.first[2] >> 16;
        pixels[i] = blended(pixels[i], colour, share_of((uint32_t)slope.first[3] >> 16));
        for (int k = 0; k < 4; k++)
            slope.first[k] += slope.step[k];
    }
}

// A component as a plane over the screen: its value at 0, 0 and the growth per pixel.
struct plane {
    float origin, x, y;
};

struct triangle {
    struct canvas_vertex top, middle, bottom;
    draw_colour colour; // of the top corner
    bool is_plain;      // all corners have this colour
    bool is_fading;     // all corners have it but for the opacity
    struct plane planes[4];
};

static struct plane plane_of(const struct triangle *it, float top, float middle, float bottom)
{
    const float x1 = it->middle.x - it->top.x, y1 = it->middle.y - it->top.y;
    const float x2 = it->bottom.x - it->top.x, y2 = it->bottom.y - it->top.y;
    const float area = x1 * y2 - x2 * y1;
    const float dx = ((middle - top) * y2 - (bottom - top) * y1) / area;
    const float dy = ((bottom - top) * x1 - (middle - top) * x2) / area;
    return (struct plane){top - dx * it->top.x - dy * it->top.y, dx, dy};
}

static int32_t fixed_at(const struct plane *plane, float x, float y)
{
    const float value = plane->origin + plane->x * x + plane->y * y;
    // A sliver's planes are so steep that rounding leaves the range.
    const float limited = value > 0 ? (value < 255 ? value : 255) : 0;
    return (int32_t)(limited * 65536) + 32767;
}

static struct slope slope_of(const struct triangle *it, int from, int count, float y)
{
    struct slope slope;
    for (int k = it->is_fading ? 3 : 0; k < 4; k++) {
        slope.first[k] = fixed_at(&it->planes[k], (float)from + 0.5F, y);
        const int32_t last = fixed_at(&it->planes[k], (float)(from + count) - 0.5F, y);
        slope.step[k] = count > 1 ? (last - slope.first[k]) / (count - 1) : 0;
    }
    return slope;
}

static void blend_row(const struct raster *raster, const struct triangle *it, int row, int from,
                      int to)
{
    uint32_t *pixels = raster->pixels + (ptrdiff_t)row * raster->stride + from;
    if (it->is_plain) {
        blend_box(pixels, to - from, it->colour);
        return;
    }
    const struct slope slope = slope_of(it, from, to - from, (float)row + 0.5F);
    if (it->is_fading)
        blend_fading(pixels, to - from, packed(it->colour), &slope);
    else
        blend_changing(pixels, to - from, slope);
}

// The first pixel whose middle is at or beyond a coordinate, limited to a range of pixels.
static int first_pixel(double at, int least, int most)
{
    const double begin = at - 0.5;
    if (!(begin > least))
        return least;
    if (begin >= most)
        return most;
    const int whole = (int)begin;
    return whole + (begin > whole);
}

// An edge. Triangles that share one compute the same coordinates, because it is always followed
// from its upper corner.
struct edge {
    double x, y, slope;
};

static struct edge edge_of(const struct canvas_vertex *upper, const struct canvas_vertex *lower)
{
    const double height = (double)lower->y - upper->y;
    return (struct edge){upper->x, upper->y,
                         height > 0 ? ((double)lower->x - upper->x) / height : 0};
}

static double x_of(const struct edge *edge, int row)
{
    return edge->x + (row + 0.5 - edge->y) * edge->slope;
}

// Blends the rows of a short edge, which has the long one on its other side.
static void blend_rows(const struct raster *raster, const struct triangle *it,
                       const struct canvas_vertex *upper, const struct canvas_vertex *lower)
{
    const int first = first_pixel(upper->y, raster->top, raster->bottom);
    const int end = first_pixel(lower->y, raster->top, raster->bottom);
    const struct edge brief = edge_of(upper, lower), whole = edge_of(&it->top, &it->bottom);
    for (int row = first; row < end; row++) {
        const int a = first_pixel(x_of(&brief, row), raster->left, raster->right);
        const int b = first_pixel(x_of(&whole, row), raster->left, raster->right);
        if (a < b)
            blend_row(raster, it, row, a, b);
        else if (b < a)
            blend_row(raster, it, row, b, a);
    }
}

static void order(struct canvas_vertex *upper, struct canvas_vertex *lower)
{
    // Corners of one height are ordered too, so that edges are followed alike.
    if (upper->y < lower->y || (upper->y == lower->y && upper->x <= lower->x))
        return;
    const struct canvas_vertex swapped = *upper;
    *upper = *lower;
    *lower = swapped;
}

static bool has_same_hue(draw_colour a, draw_colour b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

void raster_triangle(const struct raster *raster, const struct canvas_vertex corners[3])
{
    struct triangle it = {.top = corners[0], .middle = corners[1], .bottom = corners[2]};
    order(&it.top, &it.middle);
    order(&it.middle, &it.bottom);
    order(&it.top, &it.middle);
    const draw_colour a = it.top.colour, b = it.middle.colour, c = it.bottom.colour;
    it.colour = a;
    it.is_fading = has_same_hue(a, b) && has_same_hue(a, c);
    it.is_plain = it.is_fading && a.a == b.a && a.a == c.a;
    if (!(it.bottom.y > (float)raster->top && it.top.y < (float)raster->bottom))
        return;
    if (!it.is_plain) {
        it.planes[0] = plane_of(&it, a.r, b.r, c.r);
        it.planes[1] = plane_of(&it, a.g, b.g, c.g);
        it.planes[2] = plane_of(&it, a.b, b.b, c.b);
        it.planes[3] = plane_of(&it, a.a, b.a, c.a);
    }
    blend_rows(raster, &it, &it.top, &it.middle);
    blend_rows(raster, &it, &it.middle, &it.bottom);
}

void raster_box(const struct raster *raster, int left, int top, int right, int bottom,
                draw_colour colour)
{
    left = left > raster->left ? left : raster->left;
    top = top > raster->top ? top : raster->top;
    right = right < raster->right ? right : raster->right;
    bottom = bottom < raster->bottom ? bottom : raster->bottom;
    for (int row = top; row < bottom && left < right; row++)
        blend_box(raster->pixels + (ptrdiff_t)row * raster->stride + left, right - left, colour);
}
