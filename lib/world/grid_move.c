// SPDX-License-Identifier: MIT
// Settles players on free points of the grid.
#include "grid_move.h"

// The least distance, in units, by which a step must lengthen the free path ahead. It is several
// times the error of rounding and touching.
static const double least_gain = 1e-6;

// The least slide, in steps per tick. A shorter one counts as none.
static const double least_slide = 1e-6;

// Returns true in the fraction `part` of all ticks, which turns a slide of less than a step per
// tick into whole steps. The multiples of the golden ratio are equidistributed modulo 1 (Weyl,
// Ueber die Gleichverteilung von Zahlen mod. Eins, 1916), so the ticks are evenly spaced even when
// the fraction changes.
static bool is_due(double part, uint32_t tick)
{
    return tick * 0x9e3779b9u < part * 0x1p32;
}

static bool is_same(raim_vec2 a, raim_vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

// Rounds a coordinate to the grid. Ties are rounded away from `from`, so that opposite pushes are
// symmetric.
static double round_away(double value, double from)
{
    const double steps = value * RAIM_MAP_STEPS;
    return (value < from ? ceil(steps - 0.5) : floor(steps + 0.5)) / RAIM_MAP_STEPS;
}

// Finds the free corner of the grid cell around `to` that is nearest to it. Returns false when none
// is free. A circle that is free at `to` is more than a step away from all obstacles, so no corner
// is on the far side of one.
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

// Returns a free grid point near `to`. In a corner too narrow for any, it halves the motion until
// one is found or the motion is shorter than a step.
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

// Returns the fraction of a motion that is free of obstacles.
static double clear_part(const struct raim_map *map, raim_vec2 from, raim_vec2 motion,
                         double radius)
{
    return fmin(1, raim_map_sweep(map, from, motion, radius));
}

// Moves a slowly sliding player by one step: to the neighbour nearest to `to` from which the motion
// gets farther before it meets an obstacle. Every step increases that measure, so no step leads
// back and a player in a corner does not tremble. Along a straight wall there is always such a
// neighbour: directions and neighbours are 45 degrees apart, so one neighbour lies between the
// slide and the normal of the wall, and it does not lead against the motion.
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
        // The negated comparison also rejects the step of length 0, whose part is NaN.
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
