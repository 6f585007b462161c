// SPDX-License-Identifier: MIT
// Computes runs: by one sweep up to the first obstacle, and step by step from there.
#include "reachability.h"

#include "map_near.h"

// The factor by which rounding a corner may lengthen a run.
static const double gain = 1.001;

#define DIAGONAL 0x1.6a09e667f3bcdp-1 // sqrt(1/2)

static const raim_vec2 directions[RAIM_RUN_DIRECTIONS] = {
    {1, 0},  {DIAGONAL, DIAGONAL},   {0, 1},  {-DIAGONAL, DIAGONAL},
    {-1, 0}, {-DIAGONAL, -DIAGONAL}, {0, -1}, {DIAGONAL, -DIAGONAL},
};

static double min(double a, double b)
{
    return a < b ? a : b;
}

// Returns a distance, at most `most`, within which there is no obstacle around a point.
static double clearance(const struct raim_map *map, raim_vec2 centre, double most)
{
    const raim_vec2 low = raim_vec2_sub(centre, map->border.min);
    const raim_vec2 high = raim_vec2_sub(map->border.max, centre);
    double clear = min(most, min(min(low.x, low.y), min(high.x, high.y)));
    const raim_box box = raim_box_grow((raim_box){centre, centre}, most);
    const raim_vec2 corners[4] = {box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}};
    struct raim_map_near near;
    raim_map_near_begin(&near, map, corners, 4);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        double separation = -INFINITY;
        for (int i = 0; i < obstacle->count; i++) {
            const double before = raim_polygon_separation(obstacle, i, centre);
            separation = before > separation ? before : separation;
        }
        clear = min(clear, separation);
    }
    return clear;
}

void raim_reachability_begin(struct raim_reachability *table, const struct raim_map *map,
                             raim_vec2 centre, double radius, double step, int steps,
                             raim_vec2 *points)
{
    *table = (struct raim_reachability){
        .map = map,
        .centre = centre,
        .radius = radius,
        .step = step,
        .steps = steps,
        .free_steps = (clearance(map, centre, radius + step * steps) - radius) / step,
        .points = points,
    };
    for (int way = 0; way < RAIM_RUN_DIRECTIONS; way++)
        table->runs[way].clear_steps = -1;
}

// Returns the number of steps before the first obstacle in a direction.
static double clear_steps_of(struct raim_reachability *table, int way)
{
    struct raim_run *run = &table->runs[way];
    if (run->clear_steps < 0) {
        const raim_vec2 whole = raim_vec2_scale(directions[way], table->step * table->steps);
        run->clear_steps =
            raim_map_sweep(table->map, table->centre, whole, table->radius) * table->steps;
        run->computed = 0;
    }
    return run->clear_steps;
}

static bool is_clear(struct raim_reachability *table, int way, int steps)
{
    return steps <= table->free_steps || steps < clear_steps_of(table, way);
}

// Returns the end of a straight run.
static raim_vec2 run_to(struct raim_reachability *table, int way, int steps)
{
    if (is_clear(table, way, steps))
        return raim_vec2_mad(table->centre, directions[way], table->step * steps);
    struct raim_run *run = &table->runs[way];
    raim_vec2 *points = &table->points[way * (table->steps + 1)];
    const raim_vec2 step = raim_vec2_scale(directions[way], table->step);
    if (run->computed == 0) {
        run->computed = (int)run->clear_steps;
        points[run->computed] = raim_vec2_mad(table->centre, step, run->computed);
    }
    for (; run->computed < steps; run->computed++)
        points[run->computed + 1] =
            raim_map_move(table->map, points[run->computed], step, table->radius);
    return points[steps];
}

// Returns the end of a run with its first half, rounded up, in one direction and its second half in
// another.
static raim_vec2 turn_to(struct raim_reachability *table, int first, int second, int steps)
{
    const int turn = (steps + 1) / 2;
    const raim_vec2 half = run_to(table, first, turn);
    const raim_vec2 way = raim_vec2_scale(directions[second], table->step * (steps - turn));
    const double part = raim_map_sweep(table->map, half, way, table->radius);
    if (part > 1)
        return raim_vec2_add(half, way);
    return raim_map_move(table->map, raim_vec2_mad(half, way, part), raim_vec2_scale(way, 1 - part),
                         table->radius);
}

// The second direction of a turn. Its first one is adjacent, on either side.
static int second_of(int turn)
{
    return (turn - RAIM_REACH_TURN) / 2;
}

static int first_of(int turn)
{
    const int side = (turn - RAIM_REACH_TURN) % 2 == 0 ? 1 : RAIM_RUN_DIRECTIONS - 1;
    return (second_of(turn) + side) % RAIM_RUN_DIRECTIONS;
}

raim_vec2 raim_reachability_at(struct raim_reachability *table, int choice, int steps)
{
    if (choice == RAIM_REACH_STAY)
        return table->centre;
    if (choice < RAIM_REACH_HALF)
        return run_to(table, choice - RAIM_REACH_END, steps);
    if (choice < RAIM_REACH_TURN)
        return run_to(table, choice - RAIM_REACH_HALF, steps / 2);
    return turn_to(table, first_of(choice), second_of(choice), steps);
}

// Adds a point that lies in a disc around `middle`.
static void add(struct raim_reach *reach, int choice, raim_vec2 middle, double spread)
{
    reach->choices[reach->count] = (uint8_t)choice;
    reach->spreads[reach->count] = spread;
    reach->points[reach->count++] = middle;
}

// Returns the radius of the disc in which a run of a length ends. Its middle is half the way. An
// obstacle takes from a step what leads into the obstacle, and a right angle over the step has its
// corner on the circle around the step. A run around a corner of an obstacle is pushed further out
// of that disc, but less than a step.
static double spread_of(const struct raim_reachability *table, double length)
{
    return length / 2 * gain + table->step;
}

static void add_straight(struct raim_reach *reach, int choice, int way, int steps)
{
    const struct raim_reachability *table = reach->source;
    const double length = table->step * steps;
    if (steps <= table->free_steps)
        add(reach, choice, raim_vec2_mad(table->centre, directions[way], length), 0);
    else
        add(reach, choice, raim_vec2_mad(table->centre, directions[way], length / 2),
            spread_of(table, length));
}

static void add_turn(struct raim_reach *reach, int turn, int steps)
{
    const struct raim_reachability *table = reach->source;
    const double first = table->step * ((steps + 1) / 2), second = table->step * (steps / 2);
    const raim_vec2 half = raim_vec2_mad(table->centre, directions[first_of(turn)], first / 2);
    add(reach, turn, raim_vec2_mad(half, directions[second_of(turn)], second / 2),
        spread_of(table, first + second));
}

void raim_reachability_find(struct raim_reachability *table, int steps, struct raim_reach *reach)
{
    reach->source = table;
    reach->steps = steps;
    reach->centre = table->centre;
    reach->extent = table->step * steps * gain;
    reach->count = 0;
    add(reach, RAIM_REACH_STAY, table->centre, 0);
    if (steps == 0)
        return;
    for (int way = 0; way < RAIM_RUN_DIRECTIONS; way++)
        add_straight(reach, RAIM_REACH_END + way, way, steps);
    for (int way = 0; way < RAIM_RUN_DIRECTIONS; way++)
        add_straight(reach, RAIM_REACH_HALF + way, way, steps / 2);
    if (steps <= table->free_steps)
        return;
    for (int turn = RAIM_REACH_TURN; turn < RAIM_REACH_CHOICES; turn++)
        add_turn(reach, turn, steps);
}

bool raim_reach_compute(struct raim_reach *reach, int index)
{
    if (reach->spreads[index] <= 0)
        return reach->spreads[index] == 0;
    struct raim_reachability *table = reach->source;
    const int choice = reach->choices[index];
    if (choice >= RAIM_REACH_TURN && (is_clear(table, second_of(choice), reach->steps) ||
                                      !is_clear(table, first_of(choice), reach->steps))) {
        reach->spreads[index] = -1;
        return false;
    }
    reach->points[index] = raim_reachability_at(table, choice, reach->steps);
    reach->spreads[index] = 0;
    return true;
}

int raim_reachability_choice(raim_vec2 way)
{
    int best = 0;
    for (int i = 1; i < RAIM_RUN_DIRECTIONS; i++)
        if (raim_vec2_dot(directions[i], way) > raim_vec2_dot(directions[best], way))
            best = i;
    return RAIM_REACH_END + best;
}
