// SPDX-License-Identifier: MIT
// Convex polygons with precomputed world normals: what obstacles are made of.
#pragma once

#include "vec2.h"

#include <stddef.h>
#include <stdint.h>

// More corners than this belong to a circle, and every corner costs each query a dot product.
#define RAIM_MAX_POLYGON_POINTS 16

// Below this area in square units a polygon is a typing mistake, not an obstacle.
#define RAIM_MIN_POLYGON_AREA 1.0

// Edges shorter than this, in units, have no trustworthy normal.
#define RAIM_MIN_POLYGON_EDGE 0.001

// The sine of the smallest turn that makes a corner: at a flatter one, rounding could take a point
// before one face for a point before the next.
#define RAIM_MIN_POLYGON_TURN 1e-6

// No corner may lie farther out, in units: a double still resolves 1e-10 there.
#define RAIM_POLYGON_REACH 1e6

typedef struct raim_polygon {
    raim_box bounds;
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];  // counter-clockwise
    raim_vec2 normals[RAIM_MAX_POLYGON_POINTS]; // outward unit normal of the edge i -> i + 1
    double offsets[RAIM_MAX_POLYGON_POINTS];    // of that edge from the world's origin, along it
    int count;
    // Bit i: edge i is no face but a cut through a larger obstacle, with more of it on the other
    // side (see outline.h). 0 for an obstacle of its own.
    uint32_t seams;
} raim_polygon;

enum raim_polygon_error {
    RAIM_POLYGON_OK,
    RAIM_POLYGON_TOO_FEW_POINTS,
    RAIM_POLYGON_TOO_MANY_POINTS,
    RAIM_POLYGON_NOT_FINITE, // or beyond RAIM_POLYGON_REACH
    RAIM_POLYGON_SHORT_EDGE,
    RAIM_POLYGON_COLLINEAR,  // a turn of less than a millionth, or straight back
    RAIM_POLYGON_NOT_CONVEX, // or winds more than once
    RAIM_POLYGON_SMALL_AREA,
};

// Fills a polygon from 3 to RAIM_MAX_POLYGON_POINTS corners in either winding; copies the points
// and normalises them to counter-clockwise. On an error the polygon's contents are unspecified.
enum raim_polygon_error raim_polygon_init(raim_polygon *polygon, const raim_vec2 *points,
                                          int count);

// Fills a polygon with a piece of a larger obstacle. The corners, 3 to RAIM_MAX_POLYGON_POINTS,
// must be convex and counter-clockwise; a piece may be as small or pointed as the cuts made it.
void raim_polygon_init_piece(raim_polygon *polygon, const raim_vec2 *points, int count,
                             uint32_t seams);

// What is wrong, as words that complete "the polygon ...".
const char *raim_polygon_error_text(enum raim_polygon_error error);

// True inside and on the outline.
bool raim_polygon_contains(const raim_polygon *polygon, raim_vec2 point);

static inline bool raim_polygon_is_seam(const raim_polygon *polygon, int edge)
{
    return (polygon->seams >> edge & 1) != 0;
}

// How far before a face a point lies, in units; negative behind it. The unused faces, from `count`
// on, have every point infinitely far behind them, so that a search may run over them.
static inline double raim_polygon_separation(const raim_polygon *polygon, int face, raim_vec2 point)
{
    return raim_vec2_dot(polygon->normals[face], point) - polygon->offsets[face];
}

// Without a branch: which edge is the last cannot be foreseen.
static inline int raim_polygon_next(const raim_polygon *polygon, int i)
{
    return (i + 1) * (i + 1 < polygon->count);
}

// The end of a face beyond which a point lies, by more than `margin` units along the face; NULL
// when the point lies before the face itself.
static inline const raim_vec2 *raim_polygon_corner_beyond(const raim_polygon *polygon, int face,
                                                          raim_vec2 point, double margin)
{
    const raim_vec2 *first = &polygon->points[face];
    const raim_vec2 *last = &polygon->points[raim_polygon_next(polygon, face)];
    const raim_vec2 normal = polygon->normals[face];
    // The normal turned left by a quarter runs along the face.
    if (raim_vec2_cross(normal, raim_vec2_sub(point, *first)) < -margin)
        return first;
    if (raim_vec2_cross(normal, raim_vec2_sub(point, *last)) > margin)
        return last;
    return NULL;
}
