// SPDX-License-Identifier: MIT
// Random convex polygons, and their distances by brute force: edge by edge as segments, without
// normals or axes.
#pragma once

#include "chance.h"
#include "polygon.h"

static inline double slow_segment_distance(raim_vec2 a, raim_vec2 b, raim_vec2 point)
{
    const raim_vec2 along = raim_vec2_sub(b, a);
    const double part = raim_vec2_dot(raim_vec2_sub(point, a), along) / raim_vec2_dot(along, along);
    const double clamped = part < 0 ? 0 : part > 1 ? 1 : part;
    return sqrt(raim_vec2_distance_squared(point, raim_vec2_mad(a, along, clamped)));
}

// Signed distance from the outline: positive outside, negative inside. A ray to the right decides
// by its number of crossings.
static inline double slow_outline_distance(const raim_vec2 *points, int count, raim_vec2 point)
{
    double nearest = INFINITY;
    bool inside = false;
    for (int i = 0, j = count - 1; i < count; j = i++) {
        const raim_vec2 a = points[i], b = points[j];
        nearest = fmin(nearest, slow_segment_distance(a, b, point));
        if ((a.y > point.y) != (b.y > point.y) &&
            point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
    }
    return inside ? -nearest : nearest;
}

static inline double slow_distance(const raim_polygon *polygon, raim_vec2 point)
{
    return slow_outline_distance(polygon->points, polygon->count, point);
}

static inline int slow_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Corners on a random ellipse at random angles, in either winding: thin walls, blocks and near
// circles of up to `size` across.
static inline int chance_outline(raim_vec2 *points, raim_vec2 centre, double size)
{
    const int count = chance_int(3, RAIM_MAX_POLYGON_POINTS);
    double angles[RAIM_MAX_POLYGON_POINTS];
    for (int i = 0; i < count; i++)
        angles[i] = chance_between(0, 2 * acos(-1));
    qsort(angles, (size_t)count, sizeof *angles, slow_compare_doubles);
    const double turn = chance_between(0, 2 * acos(-1));
    const double a = chance_between(0.2, 0.5) * size;
    const double b =
        a * (chance_int(0, 2) == 0 ? chance_between(0.01, 0.1) : chance_between(0.1, 1));
    const bool clockwise = chance_int(0, 1) == 1;
    for (int i = 0; i < count; i++) {
        const double x = a * cos(angles[i]), y = b * sin(angles[i]);
        points[clockwise ? count - 1 - i : i] = (raim_vec2){
            centre.x + x * cos(turn) - y * sin(turn), centre.y + x * sin(turn) + y * cos(turn)};
    }
    return count;
}

static inline void chance_polygon(raim_polygon *polygon, raim_vec2 centre, double size)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    int count;
    do
        count = chance_outline(points, centre, size);
    while (raim_polygon_init(polygon, points, count) != RAIM_POLYGON_OK);
}
