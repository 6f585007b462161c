// SPDX-License-Identifier: MIT
// Finds, among the lines from around one place to around another, those that no obstacle blocks,
// and looks along them only.
#include "map_peek.h"

#include "lines.h"
#include "map_near.h"

// Of points and circles against faces, in units: rounding shows below it.
static const double slack = 1e-6;

// Points may be just as far out as the farthest.
static const double room = 1e-3;

// The most pairs of points to look at one by one.
enum { LOOKS = 96 };

// Of a reach, those that tell most: where it is, and as far as it can run each way.
enum { FEW_POINTS = 9 };

// --- where one can run ---

#define DIAGONAL 0x1.6a09e667f3bcdp-1 // sqrt(1/2)

static const raim_vec2 directions[8] = {
    {1, 0},  {DIAGONAL, DIAGONAL},   {0, 1},  {-DIAGONAL, DIAGONAL},
    {-1, 0}, {-DIAGONAL, -DIAGONAL}, {0, -1}, {DIAGONAL, -DIAGONAL},
};

// Runs on straight for a part of the way, after which something blocks it, and slides from there.
static raim_vec2 run(const struct raim_map *map, raim_vec2 from, raim_vec2 way, double part,
                     double radius)
{
    if (part > 1)
        return raim_vec2_add(from, way);
    return raim_map_move(map, raim_vec2_mad(from, way, part), raim_vec2_scale(way, 1 - part),
                         radius);
}

void raim_map_reach(const struct raim_map *map, raim_vec2 centre, double radius, double distance,
                    struct raim_reach *reach)
{
    reach->points[0] = centre;
    reach->count = 1;
    if (distance <= 0)
        return;
    const bool is_open = raim_map_is_free(map, centre, radius + distance);
    raim_vec2 *ends = &reach->points[1], *halves = &reach->points[9];
    raim_vec2 ways[8]; // half of the distance
    bool blocked[8];
    for (int i = 0; i < 8; i++) {
        ways[i] = raim_vec2_scale(directions[i], distance / 2);
        const raim_vec2 whole = raim_vec2_scale(ways[i], 2);
        const double part = is_open ? RAIM_SWEEP_MISS : raim_map_sweep(map, centre, whole, radius);
        blocked[i] = part <= 1;
        halves[i] = run(map, centre, ways[i], 2 * part, radius);
        ends[i] = run(map, halves[i], ways[i], part > 0.5 ? 2 * part - 1 : 0, radius);
    }
    reach->count = 17;
    for (int i = 0; i < 8; i++)
        for (int side = 1; side <= 7; side += 6) {
            const int first = (i + side) % 8;
            if (!blocked[i] || blocked[first])
                continue;
            const double part = raim_map_sweep(map, halves[first], ways[i], radius);
            reach->points[reach->count++] = run(map, halves[first], ways[i], part, radius);
        }
}

// --- which lines of sight obstacles leave ---

// One of the two, in a disc around all places where it may be. It may be at the points, or where
// there are none, anywhere in the disc.
struct end {
    struct raim_lines_end disc;
    const struct raim_reach *points;
};

// True when one can never be behind the line of a face, not even by a part. Who is as far before it
// as its own radius gets behind only around the ends of the face, which may be too far away.
static bool stays_before(const struct end *end, const raim_polygon *obstacle, int face)
{
    const double radius = end->disc.radius;
    if (end->points != NULL) {
        for (int i = 0; i < end->points->count; i++)
            if (raim_polygon_separation(obstacle, face, end->points->points[i]) < radius - slack)
                return false;
        return true;
    }
    const raim_vec2 centre = end->disc.centre, normal = obstacle->normals[face];
    const double separation = raim_polygon_separation(obstacle, face, centre);
    const double reach = end->disc.reach + slack;
    if (separation - radius >= reach)
        return true;
    if (separation < radius - slack)
        return false;
    const double gap = separation > radius ? separation - radius : 0;
    const double half = sqrt(reach * reach - gap * gap);
    const raim_vec2 last = obstacle->points[raim_polygon_next(obstacle, face)];
    return raim_vec2_cross(normal, raim_vec2_sub(obstacle->points[face], centre)) <= -half &&
           raim_vec2_cross(normal, raim_vec2_sub(last, centre)) >= half;
}

// True when every line has this end on the near side of the obstacle; seen from the second end,
// lines run the other way.
static bool is_beyond(const struct raim_lines *lines, const raim_polygon *obstacle,
                      const struct end *end, double way)
{
    for (int i = 0; i < obstacle->count; i++)
        if (raim_lines_run_against(lines, raim_vec2_scale(obstacle->normals[i], way)) &&
            stays_before(end, obstacle, i))
            return true;
    return false;
}

static void block(struct raim_lines *lines, const raim_polygon *obstacle, const struct end *from,
                  const struct end *to)
{
    const raim_box box = raim_lines_box(lines, obstacle->bounds);
    if (box.min.y > lines->width || box.max.y < -lines->width)
        return;
    const bool begin_before = box.min.x >= lines->first || is_beyond(lines, obstacle, from, 1);
    const bool end_beyond = box.max.x <= lines->last || is_beyond(lines, obstacle, to, -1);
    raim_lines_block(lines, obstacle, begin_before, end_beyond);
}

// Returns false when obstacles block every line.
static bool leaves_lines(const struct raim_map *map, const struct end *from, const struct end *to,
                         struct raim_lines *lines)
{
    const raim_vec2 aside = {-lines->along.y * lines->width, lines->along.x * lines->width};
    const raim_vec2 corners[4] = {
        raim_vec2_sub(from->disc.centre, aside), raim_vec2_sub(to->disc.centre, aside),
        raim_vec2_add(to->disc.centre, aside), raim_vec2_add(from->disc.centre, aside)};
    struct raim_map_near near;
    raim_map_near_begin(&near, map, corners, 4);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        block(lines, obstacle, from, to);
        if (lines->count == 0)
            return false;
    }
    return true;
}

bool raim_map_is_apart(const struct raim_map *map, raim_vec2 a, raim_vec2 b, double radius,
                       double distance)
{
    const struct end from = {{a, distance + room, radius}, NULL};
    const struct end to = {{b, distance + room, radius}, NULL};
    struct raim_lines lines;
    return raim_lines_begin(&lines, &from.disc, &to.disc) && !leaves_lines(map, &from, &to, &lines);
}

// --- who sees whom ---

static struct end end_of(const struct raim_reach *reach, double radius)
{
    raim_box box = {reach->points[0], reach->points[0]};
    for (int i = 1; i < reach->count; i++)
        box = raim_box_include(box, reach->points[i]);
    const raim_vec2 centre = raim_vec2_scale(raim_vec2_add(box.min, box.max), 0.5);
    double squared = 0;
    for (int i = 0; i < reach->count; i++) {
        const double far = raim_vec2_distance_squared(centre, reach->points[i]);
        squared = far > squared ? far : squared;
    }
    return (struct end){{centre, sqrt(squared) + room, radius}, reach};
}

// Looks from each point at each circle that a line leads to.
static bool looks_along(const struct raim_map *map, const struct raim_lines *lines,
                        const struct raim_reach *viewer, const struct raim_reach *target,
                        double radius, struct raim_glimpse *glimpse)
{
    int looks = 0;
    for (int i = 0; i < viewer->count; i++) {
        struct raim_fan fan;
        raim_lines_fan(lines, viewer->points[i], &fan);
        for (int j = 0; j < target->count && fan.count > 0; j++) {
            if (!raim_fan_meets(&fan, lines, target->points[j], radius))
                continue;
            *glimpse = (struct raim_glimpse){viewer->points[i], target->points[j]};
            if (raim_map_sees_circle(map, glimpse->from, glimpse->to, radius))
                return true;
            if (++looks == LOOKS)
                return false;
        }
    }
    return false;
}

// Looks from each point at each circle, or where these are too many, from few points at few.
static bool looks_around(const struct raim_map *map, const struct raim_reach *viewer,
                         const struct raim_reach *target, double radius,
                         struct raim_glimpse *glimpse)
{
    const bool are_many = viewer->count * target->count > LOOKS;
    for (int i = 0; i < viewer->count && !(are_many && i == FEW_POINTS); i++)
        for (int j = 0; j < target->count && !(are_many && j == FEW_POINTS); j++) {
            *glimpse = (struct raim_glimpse){viewer->points[i], target->points[j]};
            if (raim_map_sees_circle(map, glimpse->from, glimpse->to, radius))
                return true;
        }
    return false;
}

bool raim_map_peeks(const struct raim_map *map, const struct raim_reach *viewer,
                    const struct raim_reach *target, double radius, struct raim_glimpse *glimpse)
{
    const struct end from = end_of(viewer, 0), to = end_of(target, radius);
    struct raim_lines lines;
    if (!raim_lines_begin(&lines, &from.disc, &to.disc))
        return looks_around(map, viewer, target, radius, glimpse);
    return leaves_lines(map, &from, &to, &lines) &&
           looks_along(map, &lines, viewer, target, radius, glimpse);
}
