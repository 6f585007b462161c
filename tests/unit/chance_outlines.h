// SPDX-License-Identifier: MIT
// Random simple outlines of many kinds, and reference geometry for them: sides, distances, areas.
#pragma once

#include "outline.h"
#include "slow_shapes.h"

static inline double slow_side(raim_vec2 a, raim_vec2 b, raim_vec2 point)
{
    return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
}

static inline bool slow_divides(raim_vec2 a, raim_vec2 b, raim_vec2 c, raim_vec2 d)
{
    const double noise = 1e-9 * sqrt(raim_vec2_distance_squared(a, b));
    return fmin(slow_side(a, b, c), slow_side(a, b, d)) < -noise &&
           fmax(slow_side(a, b, c), slow_side(a, b, d)) > noise;
}

static inline double slow_segments_distance(raim_vec2 a, raim_vec2 b, raim_vec2 c, raim_vec2 d)
{
    if (slow_divides(a, b, c, d) && slow_divides(c, d, a, b))
        return 0;
    return fmin(fmin(slow_segment_distance(a, b, c), slow_segment_distance(a, b, d)),
                fmin(slow_segment_distance(c, d, a), slow_segment_distance(c, d, b)));
}

// Twice the area, by trapezoids: positive where the outline runs counter-clockwise.
static inline double slow_doubled_area(const raim_vec2 *points, int count)
{
    double sum = 0;
    for (int i = 0, j = count - 1; i < count; j = i++)
        sum += (points[j].x - points[i].x) *
               ((points[j].y - points[0].y) + (points[i].y - points[0].y));
    return sum;
}

// Around a middle, at random distances from it: spikes and dents.
static inline int chance_star(raim_vec2 *points, int count)
{
    const double inner = chance_between(0.05, 1);
    for (int i = 0; i < count; i++) {
        const double angle = (i + chance_between(-0.4, 0.4)) * 2 * acos(-1) / count;
        const double radius = 200 * chance_between(inner, 1);
        points[i] = (raim_vec2){radius * cos(angle), radius * sin(angle)};
    }
    return count;
}

// Columns side by side, each of whose ends is higher or lower than the last: combs, steps, crosses
// and the like, full of points on the lines of others.
static inline int chance_skyline(raim_vec2 *points, int count)
{
    const int columns = count / 4;
    int low[RAIM_MAX_OUTLINE_POINTS / 4], high[RAIM_MAX_OUTLINE_POINTS / 4];
    for (int i = 0; i < columns; i++) {
        do {
            low[i] = chance_int(0, 4);
            high[i] = low[i] + chance_int(1, 4);
        } while (i > 0 && (low[i] >= high[i - 1] || high[i] <= low[i - 1]));
    }
    int made = 0;
    for (int i = 0; i < columns; i++) {
        if (i > 0 && low[i] == low[i - 1])
            made--;
        else
            points[made++] = (raim_vec2){i * 30, low[i] * 40};
        points[made++] = (raim_vec2){(i + 1) * 30, low[i] * 40};
    }
    for (int i = columns - 1; i >= 0; i--) {
        if (i < columns - 1 && high[i] == high[i + 1])
            made--;
        else
            points[made++] = (raim_vec2){(i + 1) * 30, high[i] * 40};
        points[made++] = (raim_vec2){i * 30, high[i] * 40};
    }
    return made;
}

// A wall that winds inward.
static inline int chance_spiral(raim_vec2 *points, int count)
{
    const int half = count / 2;
    const double turn = chance_between(0.2, 1.2), thick = chance_between(0.2, 0.6);
    for (int i = 0; i < half; i++) {
        const double angle = i * turn;
        const double outer = 200 * pow(0.8, angle / 2), inner = outer * (1 - 0.35 * thick);
        points[i] = (raim_vec2){outer * cos(angle), outer * sin(angle)};
        points[2 * half - 1 - i] = (raim_vec2){inner * cos(angle), inner * sin(angle)};
    }
    return 2 * half;
}

// Points at random, joined in any order; where two edges cross, the path between them is reversed,
// which makes it shorter, until none cross.
static inline int chance_tangle(raim_vec2 *points, int count)
{
    for (int i = 0; i < count; i++)
        points[i] = (raim_vec2){chance_between(-200, 200), chance_between(-200, 200)};
    bool crossing = true;
    while (crossing) {
        crossing = false;
        for (int i = 0; i + 2 < count; i++) {
            for (int j = i + 2; j < count - (i == 0); j++) {
                const raim_vec2 a = points[i], b = points[i + 1];
                const raim_vec2 c = points[j], d = points[(j + 1) % count];
                if (slow_segments_distance(a, b, c, d) > 0)
                    continue;
                crossing = true;
                for (int k = i + 1, l = j; k < l; k++, l--) {
                    const raim_vec2 point = points[k];
                    points[k] = points[l];
                    points[l] = point;
                }
            }
        }
    }
    return count;
}

// A simple outline of any kind somewhere on a map, turned by chance, in either winding, mostly
// rounded to the grid of maps. Rounding may make it touch itself.
static inline int chance_simple_outline(raim_vec2 *points, int most)
{
    const int wanted = chance_int(4, most);
    int count;
    switch (chance_int(0, 3)) {
    case 0:
        count = chance_star(points, wanted);
        break;
    case 1:
        count = chance_skyline(points, wanted);
        break;
    case 2:
        count = chance_spiral(points, wanted);
        break;
    default:
        count = chance_tangle(points, wanted < 14 ? wanted : 14);
    }
    const double turn = chance_int(0, 2) == 0 ? 0 : chance_between(0, 2 * acos(-1));
    const double scale = chance_between(0.2, 2);
    const raim_vec2 middle = {chance_int(-12000, 12000), chance_int(-12000, 12000)};
    const bool on_grid = chance_int(0, 3) > 0;
    for (int i = 0; i < count; i++) {
        const raim_vec2 point = raim_vec2_scale(points[i], scale);
        const double x = point.x * cos(turn) - point.y * sin(turn);
        const double y = point.x * sin(turn) + point.y * cos(turn);
        points[i].x = middle.x + (on_grid ? round(x * 32) / 32 : x);
        points[i].y = middle.y + (on_grid ? round(y * 32) / 32 : y);
    }
    if (chance_int(0, 1) == 1)
        for (int i = 0, j = count - 1; i < j; i++, j--) {
            const raim_vec2 point = points[i];
            points[i] = points[j];
            points[j] = point;
        }
    return count;
}
