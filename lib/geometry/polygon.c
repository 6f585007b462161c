// SPDX-License-Identifier: MIT
// Validates corners and precomputes normals, offsets and bounds.
#include "polygon.h"

#include <assert.h>

static raim_vec2 edge_of(const raim_polygon *polygon, int i)
{
    return raim_vec2_sub(polygon->points[raim_polygon_next(polygon, i)], polygon->points[i]);
}

// Returns twice the signed area, which is positive for counter-clockwise corners.
static double doubled_area(const raim_polygon *polygon)
{
    double sum = 0;
    for (int i = 1; i + 1 < polygon->count; i++)
        sum += raim_vec2_cross(raim_vec2_sub(polygon->points[i], polygon->points[0]),
                               raim_vec2_sub(polygon->points[i + 1], polygon->points[0]));
    return sum;
}

static void reverse(raim_polygon *polygon)
{
    for (int i = 0, j = polygon->count - 1; i < j; i++, j--) {
        const raim_vec2 point = polygon->points[i];
        polygon->points[i] = polygon->points[j];
        polygon->points[j] = point;
    }
}

// Returns true when every corner lies to the left of every edge that does not touch it. This test
// also rejects a polygon that winds more than once, although all its turns go left.
static bool is_convex(const raim_polygon *polygon)
{
    for (int i = 0; i < polygon->count; i++) {
        const raim_vec2 edge = edge_of(polygon, i);
        for (int j = 0; j < polygon->count; j++) {
            const raim_vec2 offset = raim_vec2_sub(polygon->points[j], polygon->points[i]);
            const bool other = j != i && j != raim_polygon_next(polygon, i);
            if (other && raim_vec2_cross(edge, offset) <= 0)
                return false;
        }
    }
    return true;
}

static enum raim_polygon_error check_outline(const raim_polygon *polygon)
{
    for (int i = 0; i < polygon->count; i++)
        if (raim_vec2_length(edge_of(polygon, i)) < RAIM_MIN_POLYGON_EDGE)
            return RAIM_POLYGON_SHORT_EDGE;
    for (int i = 0; i < polygon->count; i++) {
        const raim_vec2 before = edge_of(polygon, i);
        const raim_vec2 after = edge_of(polygon, raim_polygon_next(polygon, i));
        const double lengths = raim_vec2_length(before) * raim_vec2_length(after);
        if (fabs(raim_vec2_cross(before, after)) < RAIM_MIN_POLYGON_TURN * lengths)
            return RAIM_POLYGON_COLLINEAR;
    }
    if (!is_convex(polygon))
        return RAIM_POLYGON_NOT_CONVEX;
    return doubled_area(polygon) < 2 * RAIM_MIN_POLYGON_AREA ? RAIM_POLYGON_SMALL_AREA
                                                             : RAIM_POLYGON_OK;
}

static void measure(raim_polygon *polygon)
{
    polygon->bounds = (raim_box){polygon->points[0], polygon->points[0]};
    for (int i = 0; i < polygon->count; i++) {
        const raim_vec2 edge = edge_of(polygon, i);
        const double length = raim_vec2_length(edge);
        polygon->normals[i] = (raim_vec2){edge.y / length, 0 - edge.x / length};
        polygon->offsets[i] = raim_vec2_dot(polygon->normals[i], polygon->points[i]);
        polygon->bounds = raim_box_include(polygon->bounds, polygon->points[i]);
    }
    for (int i = polygon->count; i < RAIM_MAX_POLYGON_POINTS; i++) {
        polygon->normals[i] = (raim_vec2){0, 0};
        polygon->offsets[i] = INFINITY;
    }
}

enum raim_polygon_error raim_polygon_init(raim_polygon *polygon, const raim_vec2 *points, int count)
{
    if (count < 3)
        return RAIM_POLYGON_TOO_FEW_POINTS;
    if (count > RAIM_MAX_POLYGON_POINTS)
        return RAIM_POLYGON_TOO_MANY_POINTS;
    polygon->count = count;
    polygon->seams = 0;
    for (int i = 0; i < count; i++) {
        // The negated comparison rejects NaN.
        if (!(fabs(points[i].x) <= RAIM_POLYGON_REACH && fabs(points[i].y) <= RAIM_POLYGON_REACH))
            return RAIM_POLYGON_NOT_FINITE;
        polygon->points[i] = points[i];
    }
    if (doubled_area(polygon) < 0)
        reverse(polygon);
    const enum raim_polygon_error error = check_outline(polygon);
    if (error == RAIM_POLYGON_OK)
        measure(polygon);
    return error;
}

void raim_polygon_init_piece(raim_polygon *polygon, const raim_vec2 *points, int count,
                             uint32_t seams)
{
    assert(count >= 3);
    assert(count <= RAIM_MAX_POLYGON_POINTS);
    polygon->count = count;
    polygon->seams = seams;
    for (int i = 0; i < count; i++)
        polygon->points[i] = points[i];
    measure(polygon);
}

const char *raim_polygon_error_text(enum raim_polygon_error error)
{
#define AS_TEXT(value) #value
#define NUMBER(macro) AS_TEXT(macro)
    static const char *const texts[] = {
        [RAIM_POLYGON_OK] = "is valid",
        [RAIM_POLYGON_TOO_FEW_POINTS] = "has fewer than 3 corners",
        [RAIM_POLYGON_TOO_MANY_POINTS] =
            "has more than " NUMBER(RAIM_MAX_POLYGON_POINTS) " corners",
        [RAIM_POLYGON_NOT_FINITE] = "has a corner that is not finite or too far out",
        [RAIM_POLYGON_SHORT_EDGE] =
            "has two adjacent corners closer than " NUMBER(RAIM_MIN_POLYGON_EDGE) " units",
        [RAIM_POLYGON_COLLINEAR] = "has a corner on the line through its neighbours",
        [RAIM_POLYGON_NOT_CONVEX] = "is not convex",
        [RAIM_POLYGON_SMALL_AREA] =
            "covers less than " NUMBER(RAIM_MIN_POLYGON_AREA) " square units",
    };
#undef NUMBER
#undef AS_TEXT
    assert((size_t)error < sizeof texts / sizeof *texts);
    return texts[error];
}

bool raim_polygon_contains(const raim_polygon *polygon, raim_vec2 point)
{
    for (int i = 0; i < polygon->count; i++) {
        const raim_vec2 offset = raim_vec2_sub(point, polygon->points[i]);
        if (raim_vec2_cross(edge_of(polygon, i), offset) < 0)
            return false;
    }
    return true;
}
