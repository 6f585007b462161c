// SPDX-License-Identifier: MIT
// Judges by trying.
#include "judge.h"

#include <assert.h>
#include <math.h>

enum { WAYS = 8 };

// Screens also draw what is between two ticks: a flight is looked at so often, in ticks.
#define FLIGHT_STEP 0.25
static_assert(1 + JUDGE_MAX_TICKS * 4 + 1 <= JUDGE_MAX_POSITIONS, "every flight has room");

bool judge_is_in_view(const struct judge *judge, raim_vec2 eye, raim_vec2 centre, double radius)
{
    // How far the circle's centre is out of the rectangle.
    const double x = fabs(centre.x - eye.x) - judge->view.x / 2;
    const double y = fabs(centre.y - eye.y) - judge->view.y / 2;
    if (x > radius || y > radius)
        return false;
    return x <= 0 || y <= 0 || x * x + y * y <= radius * radius;
}

bool judge_is_on_screen(const struct judge *judge, raim_vec2 eye, raim_vec2 centre, double radius)
{
    return judge_is_in_view(judge, eye, centre, radius) &&
           raim_map_sees_circle(judge->map, eye, centre, radius);
}

void judge_stand(raim_vec2 position, struct judge_positions *positions)
{
    positions->points[0] = position;
    positions->count = 1;
    positions->ends = 1;
    positions->ticks = 0;
    positions->has_turns = false;
}

static raim_vec2 run_tick(const struct judge *judge, raim_vec2 position, int way)
{
    static const int8_t ways[WAYS][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                         {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    const bool is_diagonal = way % 2 != 0;
    const double step =
        RAIM_MAP_GRID * (is_diagonal ? judge->stride.diagonal : judge->stride.straight);
    return raim_map_move(judge->map, position,
                         (raim_vec2){ways[way][0] * step, ways[way][1] * step},
                         judge->player_radius);
}

// Among the positions of straight runs: where one is after some ticks, 1 to all but the last.
static int run_index(const struct judge_positions *positions, int way, int tick)
{
    return positions->ends + way * (positions->ticks - 1) + tick - 1;
}

void judge_run(const struct judge *judge, raim_vec2 position, int ticks,
               struct judge_positions *positions)
{
    assert(ticks >= 1 && ticks <= JUDGE_MAX_TICKS);
    judge_stand(position, positions);
    positions->ends = 1 + WAYS;
    positions->ticks = ticks;
    positions->count = 1 + WAYS * ticks;
    for (int way = 0; way < WAYS; way++) {
        raim_vec2 at = position;
        for (int tick = 1; tick < ticks; tick++) {
            at = run_tick(judge, at, way);
            positions->points[run_index(positions, way, tick)] = at;
        }
        positions->points[1 + way] = run_tick(judge, at, way);
    }
}

// Runs that turn once.
static void add_turns(const struct judge *judge, struct judge_positions *positions)
{
    const int ticks = positions->ticks;
    positions->has_turns = true;
    for (int quarter = 1; quarter <= 3; quarter++) {
        const int turn = quarter * ticks / 4;
        for (int first = 0; first < WAYS && turn > 0; first++) {
            for (int second = 0; second < WAYS; second++) {
                raim_vec2 at = positions->points[run_index(positions, first, turn)];
                for (int tick = turn; tick < ticks && second != first; tick++) {
                    at = run_tick(judge, at, second);
                    positions->points[positions->count++] = at;
                }
            }
        }
    }
    assert(positions->count <= JUDGE_MAX_POSITIONS);
}

void judge_fly(const struct judge *judge, const struct raim_world *world, const raim_bullet *bullet,
               int ticks, struct judge_positions *positions)
{
    const raim_rules *rules = &world->rules;
    const raim_vec2 now = raim_bullet_position(rules, bullet, world->tick, world->tick_hz);
    const raim_vec2 step = raim_vec2_scale(bullet->direction, rules->bullet_speed / world->tick_hz);
    const int32_t age = raim_tick_diff(world->tick, raim_bullet_launch_tick(bullet));
    const double left = rules->bullet_lifetime * world->tick_hz - age;
    const double time = fmax(0, fmin(ticks, left));
    const raim_vec2 way = raim_vec2_scale(step, time);
    const double wall = raim_map_sweep(judge->map, now, way, rules->bullet_radius);
    const double end = time * fmin(wall, 1);
    judge_stand(now, positions);
    for (double at = FLIGHT_STEP; at < end; at += FLIGHT_STEP)
        positions->points[positions->count++] = raim_vec2_mad(now, step, at);
    positions->points[positions->count++] = raim_vec2_mad(now, step, end);
    positions->ends = positions->count;
}

// Tries the pairs of the first positions of both, but not those of the very first, `tried`.
static bool try_pairs(const struct judge *judge, const struct judge_positions *viewer,
                      int viewer_tried, int viewer_count, const struct judge_positions *target,
                      int target_tried, int target_count, double radius,
                      struct judge_witness *witness)
{
    for (int v = 0; v < viewer_count; v++) {
        for (int t = v < viewer_tried ? target_tried : 0; t < target_count; t++) {
            if (!judge_is_on_screen(judge, viewer->points[v], target->points[t], radius))
                continue;
            *witness = (struct judge_witness){viewer->points[v], target->points[t]};
            return true;
        }
    }
    return false;
}

bool judge_find_witness(const struct judge *judge, struct judge_positions *viewer,
                        struct judge_positions *target, double radius,
                        struct judge_witness *witness)
{
    const int viewer_straight = viewer->has_turns ? 1 + WAYS * viewer->ticks : viewer->count;
    const int target_straight = target->has_turns ? 1 + WAYS * target->ticks : target->count;
    if (try_pairs(judge, viewer, 0, viewer->ends, target, 0, target->ends, radius, witness) ||
        try_pairs(judge, viewer, viewer->ends, viewer_straight, target, target->ends,
                  target_straight, radius, witness))
        return true;
    if (viewer->ticks > 0 && !viewer->has_turns)
        add_turns(judge, viewer);
    if (target->ticks > 0 && !target->has_turns)
        add_turns(judge, target);
    return try_pairs(judge, viewer, viewer_straight, viewer->count, target, target_straight,
                     target->count, radius, witness);
}
