// SPDX-License-Identifier: MIT
// Convex polygons with precomputed world normals: what obstacles are made of.
#pragma once

#include "vec2.h"

#include <stddef.h>

// More corners than this belong to a circle, and every corner costs each query a dot product.
#define RAIM_MAX_POLYGON_POINTS 16

// Below this area in square units a polygon is a typing mistake, not an obstacle.
#define RAIM_MIN_POLYGON_AREA 1.0

// Edges shorter than this, in units, have no trustworthy normal.
#define RAIM_MIN_POLYGON_EDGE 0.001

// No corner may lie farther out, in units: a double still resolves 1e-10 there.
#define RAIM_POLYGON_REACH 1e6

typedef struct raim_polygon {
    raim_box bounds;
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];  // counter-clockwise
    raim_vec2 normals[RAIM_MAX_POLYGON_POINTS]; // outward unit normal of the edge i -> i + 1
    int count;
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

// What is wrong, as words that complete "the polygon ...".
const char *raim_polygon_error_text(enum raim_polygon_error error);

// True inside and on the outline.
bool raim_polygon_contains(const raim_polygon *polygon, raim_vec2 point);

static inline int raim_polygon_next(const raim_polygon *polygon, int i)
{
    return i + 1 < polygon->count ? i + 1 : 0;
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
