// SPDX-License-Identifier: MIT
// Reference visibility of a circle from a point: casts rays between all directions in which an
// obstacle begins or ends.
#pragma once

#include "chance_outlines.h"
#include "map.h"
#include "sight.h"
#include "test.h"

static const raim_vec2 origin = {0, 0};

// Gaps that look narrower than this, in radians, may be taken for closed or open.
static const double narrow = 1e-10;

static inline bool sees(const raim_polygon *obstacles, int count, raim_vec2 from, raim_vec2 centre,
                        double radius)
{
    struct raim_sight sight;
    if (!raim_sight_begin(&sight, from, centre, radius))
        return true;
    do
        for (int i = 0; i < count; i++)
            raim_sight_hide(&sight, &obstacles[i]);
    while (raim_sight_next_pass(&sight));
    return !raim_sight_is_hidden(&sight);
}

// Outlines as one list of segments.
struct segments {
    raim_vec2 (*ends)[2];
    int count;
};

static inline void add_outline(struct segments *segments, const raim_vec2 *points, int count)
{
    for (int i = 0; i < count; i++) {
        segments->ends[segments->count][0] = points[i];
        segments->ends[segments->count++][1] = points[(i + 1) % count];
    }
}

static inline double slow_cross(raim_vec2 a, raim_vec2 b, raim_vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static inline bool slow_clear(const struct segments *segments, raim_vec2 from, raim_vec2 to)
{
    for (int i = 0; i < segments->count; i++) {
        const raim_vec2 a = segments->ends[i][0], b = segments->ends[i][1];
        if ((slow_cross(a, b, from) > 0) != (slow_cross(a, b, to) > 0) &&
            (slow_cross(from, to, a) > 0) != (slow_cross(from, to, b) > 0))
            return false;
    }
    return true;
}

// A cone from a viewer to a circle. Angles count from its middle.
struct cone {
    raim_vec2 from, centre;
    double radius;
    double distance, half;
    double critical[1024]; // angles
    int count;
};

static inline void add_critical(struct cone *cone, raim_vec2 point)
{
    const raim_vec2 way = raim_vec2_sub(cone->centre, cone->from);
    const raim_vec2 offset = raim_vec2_sub(point, cone->from);
    const double angle = atan2(raim_vec2_cross(way, offset), raim_vec2_dot(way, offset));
    if (fabs(angle) < cone->half)
        cone->critical[cone->count++] = angle;
}

static inline void add_meetings(struct cone *cone, raim_vec2 a, raim_vec2 b)
{
    const raim_vec2 along = raim_vec2_sub(b, a), out = raim_vec2_sub(a, cone->centre);
    const double squared = raim_vec2_dot(along, along), middle = raim_vec2_dot(out, along);
    const double rest =
        middle * middle - squared * (raim_vec2_dot(out, out) - cone->radius * cone->radius);
    for (int side = -1; rest > 0 && side <= 1; side += 2) {
        const double part = (side * sqrt(rest) - middle) / squared;
        if (part > 0 && part < 1)
            add_critical(cone, raim_vec2_mad(a, along, part));
    }
}

// The distance at which the ray at an angle first meets the circle.
static inline raim_vec2 meeting_at(const struct cone *cone, double angle)
{
    const double across = cone->distance * sin(angle);
    const double length =
        cone->distance * cos(angle) - sqrt(cone->radius * cone->radius - across * across);
    const raim_vec2 ahead =
        raim_vec2_scale(raim_vec2_sub(cone->centre, cone->from), 1 / cone->distance);
    const raim_vec2 way = {ahead.x * cos(angle) - ahead.y * sin(angle),
                           ahead.x * sin(angle) + ahead.y * cos(angle)};
    return raim_vec2_mad(cone->from, way, length);
}

// The widest gap that a ray gets through, in radians; -1: none. Between two neighbouring directions
// in which an obstacle begins or ends, one ray decides for all.
static inline double slow_gap(const struct segments *segments, raim_vec2 from, raim_vec2 centre,
                              double radius)
{
    static struct cone cone;
    cone.from = from;
    cone.centre = centre;
    cone.radius = radius;
    cone.distance = sqrt(raim_vec2_distance_squared(from, centre));
    cone.half = asin(radius / cone.distance);
    cone.count = 0;
    cone.critical[cone.count++] = -cone.half;
    for (int i = 0; i < segments->count; i++) {
        add_critical(&cone, segments->ends[i][0]);
        add_meetings(&cone, segments->ends[i][0], segments->ends[i][1]);
    }
    qsort(cone.critical, (size_t)cone.count, sizeof *cone.critical, slow_compare_doubles);
    cone.critical[cone.count] = cone.half;
    double widest = -1;
    for (int i = 0; i < cone.count && widest < narrow; i++) {
        const double width = cone.critical[i + 1] - cone.critical[i];
        const double angle = (cone.critical[i + 1] + cone.critical[i]) / 2;
        if (width > widest && slow_clear(segments, from, meeting_at(&cone, angle)))
            widest = width;
    }
    return widest;
}

static inline void assert_judged(bool seen, const struct segments *segments, raim_vec2 from,
                                 raim_vec2 centre, double radius)
{
    const double gap = slow_gap(segments, from, centre, radius);
    if (gap >= narrow)
        assert_true(seen);
    if (gap < 0)
        assert_false(seen);
}

static inline raim_vec2 chance_near(raim_vec2 middle, double reach)
{
    return (raim_vec2){middle.x + chance_between(-reach, reach),
                       middle.y + chance_between(-reach, reach)};
}
