// SPDX-License-Identifier: MIT
// Two-dimensional vectors and axis-aligned boxes. Coordinates are in world units; y points up.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The 80-bit intermediates of the x87 would make this machine's results differ from all others.
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
              "double must be computed as double: on i386 compile with -msse2 -mfpmath=sse");

typedef struct raim_vec2 {
    double x, y;
} raim_vec2;

typedef struct raim_box {
    raim_vec2 min, max;
} raim_box;

static inline raim_vec2 raim_vec2_add(raim_vec2 a, raim_vec2 b)
{
    const raim_vec2 result = {a.x + b.x, a.y + b.y};
    return result;
}

static inline raim_vec2 raim_vec2_sub(raim_vec2 a, raim_vec2 b)
{
    const raim_vec2 result = {a.x - b.x, a.y - b.y};
    return result;
}

static inline raim_vec2 raim_vec2_scale(raim_vec2 a, double factor)
{
    const raim_vec2 result = {a.x * factor, a.y * factor};
    return result;
}

// Returns a + b * factor (multiply-add, rounded twice).
static inline raim_vec2 raim_vec2_mad(raim_vec2 a, raim_vec2 b, double factor)
{
    const raim_vec2 result = {a.x + b.x * factor, a.y + b.y * factor};
    return result;
}

static inline double raim_vec2_dot(raim_vec2 a, raim_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

// Returns the z component of the cross product, which is positive when b lies to the left of a.
static inline double raim_vec2_cross(raim_vec2 a, raim_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double raim_vec2_length_squared(raim_vec2 a)
{
    return raim_vec2_dot(a, a);
}

// IEEE 754 requires a correctly rounded square root, so the result is the same on every machine.
static inline double raim_vec2_length(raim_vec2 a)
{
    return sqrt(raim_vec2_dot(a, a));
}

static inline double raim_vec2_distance_squared(raim_vec2 a, raim_vec2 b)
{
    return raim_vec2_length_squared(raim_vec2_sub(a, b));
}

static inline raim_box raim_box_grow(raim_box box, double margin)
{
    const raim_box result = {{box.min.x - margin, box.min.y - margin},
                             {box.max.x + margin, box.max.y + margin}};
    return result;
}

// Returns the smallest box around a box and a point.
static inline raim_box raim_box_include(raim_box box, raim_vec2 point)
{
    const raim_box result = {
        {point.x < box.min.x ? point.x : box.min.x, point.y < box.min.y ? point.y : box.min.y},
        {point.x > box.max.x ? point.x : box.max.x, point.y > box.max.y ? point.y : box.max.y}};
    return result;
}

// Compares all four sides before the first branch, because each comparison alone is hard to
// predict.
static inline bool raim_box_contains(raim_box box, raim_vec2 point)
{
    return (point.x >= box.min.x) & (point.x <= box.max.x) & (point.y >= box.min.y) &
           (point.y <= box.max.y);
}

static inline bool raim_box_overlaps(raim_box a, raim_box b)
{
    return (a.min.x <= b.max.x) & (a.max.x >= b.min.x) & (a.min.y <= b.max.y) &
           (a.max.y >= b.min.y);
}

#ifdef __cplusplus
}
#endif
