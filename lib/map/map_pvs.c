// SPDX-License-Identifier: MIT
// Computes the stabbing lines between two players and tests only the pairs of points that an
// unblocked line connects.
#include "map_pvs.h"

#include "map_near.h"
#include "stabbing_lines.h"

// Discs are grown by this, in units, because points may lie exactly on their edge.
static const double room = 1e-3;

// The largest number of pairs of points that a query tests one by one.
enum { MAX_TESTS = 96 };

// The number of the most informative points of a reach: the position and the ends of the eight
// runs.
enum { COARSE_POINTS = 9 };

// --- unblocked lines ---

static void block(struct raim_stabbing_lines *lines, const raim_polygon *obstacle)
{
    const raim_box box = raim_stabbing_lines_box(lines, obstacle->bounds);
    if (box.min.y <= lines->width && box.max.y >= -lines->width)
        raim_stabbing_lines_block(lines, obstacle, box.min.x >= lines->first,
                                  box.max.x <= lines->last);
}

bool raim_map_pvs_free_lines(const struct raim_map *map, const struct raim_stabbing_lines_end *from,
                             const struct raim_stabbing_lines_end *to, uint16_t *blocker,
                             struct raim_stabbing_lines *lines)
{
    const struct raim_stabbing_lines_end ends[2] = {
        {from->centre, from->reach + room, from->radius},
        {to->centre, to->reach + room, to->radius}};
    lines->count = 0;
    if (!raim_stabbing_lines_begin(lines, &ends[0], &ends[1]))
        return true;
    const raim_polygon *likely = *blocker < map->obstacle_count ? &map->obstacles[*blocker] : NULL;
    if (likely != NULL)
        block(lines, likely);
    if (lines->count == 0)
        return false;
    const raim_vec2 aside = {-lines->along.y * lines->width, lines->along.x * lines->width};
    const raim_vec2 corners[4] = {
        raim_vec2_sub(from->centre, aside), raim_vec2_sub(to->centre, aside),
        raim_vec2_add(to->centre, aside), raim_vec2_add(from->centre, aside)};
    struct raim_map_near near;
    raim_map_near_begin(&near, map, corners, 4);
    for (const raim_polygon *obstacle; (obstacle = raim_map_near_next(&near)) != NULL;) {
        if (obstacle == likely)
            continue;
        block(lines, obstacle);
        if (lines->count == 0) {
            *blocker = (uint16_t)(obstacle - map->obstacles);
            return false;
        }
    }
    return true;
}

// --- one obstacle ---

// Returns the outline that a piece is part of, or NULL in a map that was made from pieces. Any
// piece is valid.
static const struct raim_map_outline *outline_of(const struct raim_map *map, int piece)
{
    return piece < map->obstacle_count && map->outline_count > 0
               ? &map->outlines[map->outline_by_piece[piece]]
               : NULL;
}

static struct raim_occlusion occlusion_by(const struct raim_map_outline *outline,
                                          const struct raim_stabbing_lines_end *from,
                                          const struct raim_stabbing_lines_end *to, int to_count,
                                          double least)
{
    struct raim_occlusion occlusion =
        raim_occluder_find(outline->points, outline->count, from, to, to_count, least + room);
    occlusion.slack -= room;
    return occlusion;
}

struct raim_occlusion raim_map_pvs_occlusion_by(const struct raim_map *map,
                                                const struct raim_stabbing_lines_end *from,
                                                const struct raim_stabbing_lines_end *to,
                                                int to_count, uint16_t blocker)
{
    const struct raim_map_outline *outline = outline_of(map, blocker);
    if (outline == NULL)
        return (struct raim_occlusion){-INFINITY, 0};
    return occlusion_by(outline, from, to, to_count, -INFINITY);
}

struct raim_occlusion raim_map_pvs_occlusion(const struct raim_map *map,
                                             const struct raim_stabbing_lines_end *from,
                                             const struct raim_stabbing_lines_end *to, int to_count,
                                             uint16_t *blocker)
{
    struct raim_occlusion best = raim_map_pvs_occlusion_by(map, from, to, to_count, *blocker);
    if (best.slack >= 0)
        return best;
    const struct raim_map_outline *outline = outline_of(map, *blocker);
    // An obstacle that hides the ends crosses the line between their centres.
    const raim_vec2 line[2] = {from->centre, to->centre};
    struct raim_map_near near;
    raim_map_near_begin(&near, map, line, 2);
    for (const raim_polygon *piece; (piece = raim_map_near_next(&near)) != NULL;) {
        const int index = (int)(piece - map->obstacles);
        if (outline != NULL && index >= outline->first_piece &&
            index < outline->first_piece + outline->piece_count)
            continue; // the pieces of an outline are contiguous
        outline = outline_of(map, index);
        if (outline == NULL)
            break;
        const struct raim_occlusion found = occlusion_by(outline, from, to, to_count, best.slack);
        if (found.slack > best.slack) {
            best = found;
            *blocker = (uint16_t)index;
        }
    }
    return best;
}

// --- pairs of points ---

// A query for a viewer and a target, with the points that each can reach.
struct query {
    const struct raim_map *map;
    struct raim_reach *viewer, *target;
    double radius;
    raim_vec2 view;
    int tests;
};

// Returns false when the target is out of view between any points of both discs.
static bool is_in_view(const struct query *query, int i, int j)
{
    const struct raim_reach *viewer = query->viewer, *target = query->target;
    return raim_is_in_view(query->view, viewer->points[i], target->points[j],
                           query->radius + viewer->spreads[i] + target->spreads[j]);
}

// Returns true when the target is seen between a pair of points, which are computed.
static bool is_seen(struct query *query, int i, int j, struct raim_view_ray *ray)
{
    query->tests++;
    *ray = (struct raim_view_ray){i, j};
    return raim_map_sees_circle(query->map, query->viewer->points[i], query->target->points[j],
                                query->radius);
}

// Returns true when some point of the target may be in view from a point of the viewer, on a line
// that passes it. It keeps most points of the viewer from being computed.
static bool may_see_from(const struct query *query, const struct raim_stabbing_lines *lines, int i)
{
    const struct raim_reach *viewer = query->viewer, *target = query->target;
    const double spread = viewer->spreads[i];
    return spread >= 0 &&
           raim_is_in_view(query->view, viewer->points[i], target->centre,
                           query->radius + spread + target->extent) &&
           raim_stabbing_lines_may_pass(lines, viewer->points[i], spread);
}

// Returns true when a pair is in view, and on a line with one of the slopes.
static bool is_on_line(const struct query *query, const struct raim_stabbing_lines *lines,
                       const struct raim_slope_set *slopes, int i, int j)
{
    const struct raim_reach *target = query->target;
    return target->spreads[j] >= 0 && is_in_view(query, i, j) &&
           raim_slope_set_hits_circle(slopes, lines, target->points[j],
                                      query->radius + target->spreads[j]);
}

// Tests the pairs of points that an unblocked line connects.
static bool test_free_lines(struct query *query, const struct raim_stabbing_lines *lines,
                            struct raim_view_ray *ray)
{
    struct raim_reach *target = query->target;
    for (int i = 0; i < query->viewer->count; i++) {
        if (!may_see_from(query, lines, i) || !raim_reach_compute(query->viewer, i))
            continue;
        struct raim_slope_set slopes;
        raim_stabbing_lines_slopes(lines, query->viewer->points[i], &slopes);
        for (int j = 0; j < target->count && slopes.count > 0; j++) {
            if (!is_on_line(query, lines, &slopes, i, j))
                continue;
            if (target->spreads[j] > 0 &&
                !(raim_reach_compute(target, j) && is_on_line(query, lines, &slopes, i, j)))
                continue;
            if (is_seen(query, i, j, ray))
                return true;
            if (query->tests == MAX_TESTS)
                return false;
        }
    }
    return false;
}

// Tests all pairs of points. When there are more than MAX_TESTS, it tests the pairs of the first
// COARSE_POINTS of each player.
static bool test_all_pairs(struct query *query, struct raim_view_ray *ray)
{
    const int viewers = query->viewer->count, targets = query->target->count;
    const bool are_many = viewers * targets > MAX_TESTS;
    for (int i = 0; i < viewers && !(are_many && i == COARSE_POINTS); i++)
        for (int j = 0; j < targets && !(are_many && j == COARSE_POINTS); j++)
            if (raim_reach_compute(query->viewer, i) && raim_reach_compute(query->target, j) &&
                is_in_view(query, i, j) && is_seen(query, i, j, ray))
                return true;
    return false;
}

bool raim_map_pvs_could_see(const struct raim_map *map, const struct raim_stabbing_lines *lines,
                            struct raim_reach *viewer, struct raim_reach *target, double radius,
                            raim_vec2 view, struct raim_view_ray *ray)
{
    struct query query = {map, viewer, target, radius, view, 0};
    return lines->count > 0 ? test_free_lines(&query, lines, ray) : test_all_pairs(&query, ray);
}

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

// The second direction of a choice that turns. Its first one is adjacent, on either side.
static int second_direction(int choice)
{
    return (choice - RAIM_REACH_TURN) / 2;
}

static int first_direction(int choice)
{
    const int side = (choice - RAIM_REACH_TURN) % 2 == 0 ? 1 : RAIM_RUN_DIRECTIONS - 1;
    return (second_direction(choice) + side) % RAIM_RUN_DIRECTIONS;
}

raim_vec2 raim_reachability_at(struct raim_reachability *table, int choice, int steps)
{
    if (choice == RAIM_REACH_STAY)
        return table->centre;
    if (choice < RAIM_REACH_HALF)
        return run_to(table, choice - RAIM_REACH_END, steps);
    if (choice < RAIM_REACH_TURN)
        return run_to(table, choice - RAIM_REACH_HALF, steps / 2);
    return turn_to(table, first_direction(choice), second_direction(choice), steps);
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

static void add_turn(struct raim_reach *reach, int choice, int steps)
{
    const struct raim_reachability *table = reach->source;
    const double first = table->step * ((steps + 1) / 2), second = table->step * (steps / 2);
    const raim_vec2 half =
        raim_vec2_mad(table->centre, directions[first_direction(choice)], first / 2);
    add(reach, choice, raim_vec2_mad(half, directions[second_direction(choice)], second / 2),
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
    for (int choice = RAIM_REACH_TURN; choice < RAIM_REACH_CHOICES; choice++)
        add_turn(reach, choice, steps);
}

bool raim_reach_compute(struct raim_reach *reach, int index)
{
    if (reach->spreads[index] <= 0)
        return reach->spreads[index] == 0;
    struct raim_reachability *table = reach->source;
    const int choice = reach->choices[index];
    if (choice >= RAIM_REACH_TURN && (is_clear(table, second_direction(choice), reach->steps) ||
                                      !is_clear(table, first_direction(choice), reach->steps))) {
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
