// SPDX-License-Identifier: MIT
// Convex polygons with precomputed world normals. Every obstacle consists of one or more of them.
// Units: coordinates, lengths and distances are in units.
// Thread rule: the functions keep no state; any threads may share a polygon that no thread changes.
#pragma once

#include "vec2.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A polygon with more corners approximates a circle, and every corner costs each query a dot
// product.
#define RAIM_MAX_POLYGON_POINTS 16

// The smallest area of an obstacle, in square units. A smaller one is probably a typing mistake.
#define RAIM_MIN_POLYGON_AREA 1.0

// The shortest edge, in units. Rounding makes the normal of a shorter one unreliable.
#define RAIM_MIN_POLYGON_EDGE 0.001

// The sine of the smallest turn at a corner. At a flatter one, rounding could assign a point in
// front of one face to the next face.
#define RAIM_MIN_POLYGON_TURN 1e-6

// The largest absolute coordinate, in units. A double still resolves 1e-10 there.
#define RAIM_POLYGON_REACH 1e6

typedef struct raim_polygon {
    raim_box bounds;
    int count;
    // Bit i: edge i is not a face but a cut through a larger obstacle, which continues on the other
    // side (see outline.h). 0 for a polygon that is a whole obstacle.
    uint32_t seams;
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];  // counter-clockwise
    raim_vec2 normals[RAIM_MAX_POLYGON_POINTS]; // outward unit normal of the edge i -> i + 1
    double offsets[RAIM_MAX_POLYGON_POINTS]; // distance of edge i from the origin, along its normal
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

// Returns a description of an error that completes the sentence "the polygon ...".
const char *raim_polygon_error_text(enum raim_polygon_error error);

// Returns true for a point inside the polygon or on its outline.
bool raim_polygon_contains(const raim_polygon *polygon, raim_vec2 point);

static inline bool raim_polygon_is_seam(const raim_polygon *polygon, int edge)
{
    return (polygon->seams >> edge & 1) != 0;
}

// Returns the signed distance of a point from the line of a face, in units: positive in front,
// negative behind. It is -INFINITY for the unused faces from `count` on, so that a search for the
// maximum may include them.
static inline double raim_polygon_separation(const raim_polygon *polygon, int face, raim_vec2 point)
{
    return raim_vec2_dot(polygon->normals[face], point) - polygon->offsets[face];
}

// Returns the corner after i. Branchless, because a branch predictor cannot foresee the last edge.
static inline int raim_polygon_next(const raim_polygon *polygon, int i)
{
    return (i + 1) * (i + 1 < polygon->count);
}

// Returns the end of a face that a point lies beyond by more than `margin` units along the face, or
// NULL when the point projects onto the face itself.
static inline const raim_vec2 *raim_polygon_corner_beyond(const raim_polygon *polygon, int face,
                                                          raim_vec2 point, double margin)
{
    const raim_vec2 *first = &polygon->points[face];
    const raim_vec2 *last = &polygon->points[raim_polygon_next(polygon, face)];
    const raim_vec2 normal = polygon->normals[face];
    // The face runs along its normal turned left by a quarter.
    if (raim_vec2_cross(normal, raim_vec2_sub(point, *first)) < -margin)
        return first;
    if (raim_vec2_cross(normal, raim_vec2_sub(point, *last)) > margin)
        return last;
    return NULL;
}

#ifdef __cplusplus
}
#endif
