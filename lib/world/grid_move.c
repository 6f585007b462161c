// SPDX-License-Identifier: MIT
// Settles players on the grid.
#include "grid_move.h"

// To creep a step must let a player get so much farther, in units, than where it stands: several
// times what rounding or a touch can feign.
static const double least_gain = 1e-6;

// A slide of fewer steps than this a tick is none.
static const double least_slide = 1e-6;

// True in that part of all ticks: how a slide of less than a step a tick becomes whole steps. The
// multiples of the golden ratio spread evenly over the turns of a wheel (Weyl, Ueber die
// Gleichverteilung von Zahlen mod. Eins, 1916), also where the part changes on the way.
static bool is_due(double part, uint32_t tick)
{
    return tick * 0x9e3779b9u < part * 0x1p32;
}

static bool is_same(raim_vec2 a, raim_vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

// The multiple of the grid nearest to a coordinate. What ties goes away from `from`, so that
// opposite pushes do not differ.
static double round_away(double value, double from)
{
    const double steps = value * RAIM_MAP_STEPS;
    return (value < from ? ceil(steps - 0.5) : floor(steps + 0.5)) / RAIM_MAP_STEPS;
}

// The free corner of the grid's cell around `to` that is nearest to it. A circle that is free at
// `to` is more than a step away from everything, so none of them can be behind something.
static bool find_corner(const struct raim_map *map, raim_vec2 from, raim_vec2 to, double radius,
                        raim_vec2 *corner)
{
    const raim_vec2 near = {round_away(to.x, from.x), round_away(to.y, from.y)};
    const raim_vec2 far = {near.x + (to.x < near.x ? -RAIM_MAP_GRID : RAIM_MAP_GRID),
                           near.y + (to.y < near.y ? -RAIM_MAP_GRID : RAIM_MAP_GRID)};
    const bool x_first = fabs(to.x - near.x) > fabs(to.y - near.y);
    const raim_vec2 along_x = {far.x, near.y}, along_y = {near.x, far.y};
    const raim_vec2 corners[] = {near, x_first ? along_x : along_y, x_first ? along_y : along_x,
                                 far};
    for (int i = 0; i < 4; i++) {
        *corner = corners[i];
        if (is_same(*corner, from) || raim_map_is_free(map, *corner, radius))
            return true;
    }
    return false;
}

// In a nook too narrow for a corner it goes half as far, and half of that.
static raim_vec2 settle(const struct raim_map *map, raim_vec2 from, raim_vec2 to, double radius)
{
    raim_vec2 settled = raim_map_round(to);
    if (is_same(to, settled))
        return to;
    raim_vec2 motion = raim_vec2_sub(to, from);
    while (!find_corner(map, from, to, radius, &settled)) {
        motion = raim_vec2_scale(motion, 0.5);
        if (raim_vec2_length_squared(motion) < RAIM_MAP_GRID * RAIM_MAP_GRID)
            return from;
        to = raim_map_move(map, from, motion, radius);
    }
    return settled;
}

// The fraction of a way that a player can go straight.
static double clear_part(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                         double radius)
{
    return fmin(1, raim_map_sweep(map, from, motion, radius));
}

// A step to that neighbour, the nearest to `to`, from where the way goes farther before it meets
// something. Every step gains by that measure, so none leads back: nobody trembles in a corner.
// Along a straight wall there always is one: ways and neighbours lie 45 degrees apart, so one of
// them lies between the slide and the wall's normal, and it does not lead against the way.
static raim_vec2 creep(const struct raim_map *map, raim_vec2 from, raim_vec2 motion, raim_vec2 to,
                       double radius, uint32_t tick)
{
    const raim_vec2 slide = raim_vec2_scale(raim_vec2_sub(to, from), RAIM_MAP_STEPS);
    const double length_squared = raim_vec2_length_squared(motion);
    const double least = least_gain * sqrt(length_squared);
    const double clear = clear_part(map, from, motion, radius);
    raim_vec2 best = from;
    double best_distance = INFINITY;
    double best_part = 0; // of the step that the slide is
    for (int i = 0; i < 9; i++) {
        const raim_vec2 step = {i % 3 - 1, i / 3 - 1};
        const double part = raim_vec2_dot(slide, step) / raim_vec2_length_squared(step);
        const double distance = raim_vec2_distance_squared(slide, step);
        // Written so that no step at all, a NaN, fails.
        if (!(part > least_slide) || distance >= best_distance || raim_vec2_dot(step, motion) < 0)
            continue;
        const raim_vec2 next = raim_vec2_mad(from, step, RAIM_MAP_GRID);
        if (!raim_map_is_free(map, next, radius))
            continue;
        const double ahead = raim_vec2_dot(step, motion) * RAIM_MAP_GRID;
        if (ahead + (clear_part(map, next, motion, radius) - clear) * length_squared <= least)
            continue;
        best = next;
        best_distance = distance;
        best_part = part;
    }
    return is_due(best_part, tick) ? best : from;
}

raim_vec2 raim_grid_move_run(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                             double radius, uint32_t tick)
{
    const raim_vec2 to = raim_map_move(map, from, motion, radius);
    if (is_same(to, raim_vec2_add(from, motion)))
        return to;
    const raim_vec2 settled = settle(map, from, to, radius);
    const raim_vec2 moved = raim_vec2_sub(settled, from);
    if (fabs(moved.x) > RAIM_MAP_GRID || fabs(moved.y) > RAIM_MAP_GRID)
        return settled;
    return creep(map, from, motion, to, radius, tick);
}

raim_vec2 raim_grid_move_push(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                              double radius)
{
    return settle(map, from, raim_map_move(map, from, motion, radius), radius);
}
