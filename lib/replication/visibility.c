// SPDX-License-Identifier: MIT
// Answers visibility queries on a map. A player's runs are computed once per tick, on first use.
#include "visibility.h"

#include "distance_field.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct raim_visibility {
    struct raim_visibility_def def;
    uint32_t tick;
    struct runner {
        uint32_t tick; // for which `runner` is valid
        struct raim_reachability runner;
    } * runners;       // by slot
    raim_vec2 *points; // memory of the runners
};

struct raim_visibility *raim_visibility_create(const struct raim_visibility_def *def)
{
    struct raim_visibility *visibility = calloc(1, sizeof *visibility);
    if (visibility == NULL)
        return NULL;
    const size_t runs = (size_t)def->slots * (def->longest_run + 1); // by slot and ticks
    visibility->def = *def;
    visibility->runners = calloc(def->slots, sizeof *visibility->runners);
    visibility->points = calloc(runs * RAIM_RUN_DIRECTIONS, sizeof *visibility->points);
    if (visibility->runners != NULL && visibility->points != NULL)
        return visibility;
    raim_visibility_destroy(visibility);
    return NULL;
}

void raim_visibility_destroy(struct raim_visibility *visibility)
{
    if (visibility == NULL)
        return;
    free(visibility->runners);
    free(visibility->points);
    free(visibility);
}

void raim_visibility_set_tick(struct raim_visibility *visibility, uint32_t tick)
{
    visibility->tick = tick;
}

// --- from the present positions ---

static bool is_in_view(const struct raim_visibility *visibility, raim_vec2 eye, raim_vec2 centre,
                       double radius)
{
    return raim_is_in_view(visibility->def.view, eye, centre, radius);
}

bool raim_visibility_sees_circle(const struct raim_visibility *visibility, raim_vec2 eye,
                                 raim_vec2 centre, double radius, bool exactly)
{
    const struct raim_visibility_def *def = &visibility->def;
    return is_in_view(visibility, eye, centre, radius) &&
           (raim_distance_field_sees(def->map, eye, centre) ||
            (exactly && raim_map_sees_circle(def->map, eye, centre, radius)));
}

bool raim_visibility_sees_centre(const struct raim_visibility *visibility, raim_vec2 eye,
                                 raim_vec2 centre, double radius)
{
    const struct raim_visibility_def *def = &visibility->def;
    return is_in_view(visibility, eye, centre, radius) &&
           (raim_distance_field_sees(def->map, eye, centre) ||
            raim_map_sees(def->map, eye, centre));
}

// --- from where both can come to ---

static struct raim_reachability *runner_of(struct raim_visibility *visibility, uint32_t slot,
                                           raim_vec2 position)
{
    const struct raim_visibility_def *def = &visibility->def;
    struct runner *known = &visibility->runners[slot];
    if (known->runner.map == NULL || known->tick != visibility->tick) {
        const size_t points = (size_t)RAIM_RUN_DIRECTIONS * (def->longest_run + 1);
        known->tick = visibility->tick;
        raim_reachability_begin(&known->runner, def->map, position, def->player_radius, def->stride,
                                (int)def->longest_run, &visibility->points[slot * points]);
    }
    return &known->runner;
}

static void reach_of_player(struct raim_visibility *visibility, uint32_t slot, raim_vec2 position,
                            uint32_t ticks, struct raim_reach *reach)
{
    assert(ticks <= visibility->def.longest_run);
    raim_reachability_find(runner_of(visibility, slot, position), (int)ticks, reach);
}

static void reach_of_point(raim_vec2 point, struct raim_reach *reach)
{
    reach->points[0] = reach->centre = point;
    reach->choices[0] = RAIM_REACH_STAY;
    reach->spreads[0] = reach->extent = 0;
    reach->count = 1;
}

// Samples a flight: every half tick, or every tick where half ticks would be too many; and its end.
static double moment_of(const struct raim_trajectory *trajectory, struct raim_horizon horizon,
                        int choice)
{
    const double step = horizon.to - horizon.from < RAIM_REACH_POINTS / 2 ? 0.5 : 1;
    const double moment = horizon.from + step * choice;
    const double last = raim_trajectory_ticks(trajectory, horizon.to);
    return moment < last ? moment : last;
}

// Returns the choice of the last moment of a flight.
static int last_choice(const struct raim_trajectory *trajectory, struct raim_horizon horizon)
{
    const double step = horizon.to - horizon.from < RAIM_REACH_POINTS / 2 ? 0.5 : 1;
    const double last = raim_trajectory_ticks(trajectory, horizon.to);
    return last > horizon.from ? (int)ceil((last - horizon.from) / step) : 0;
}

static void reach_by_flight(const struct raim_trajectory *trajectory, struct raim_horizon horizon,
                            struct raim_reach *reach)
{
    const double last = raim_trajectory_ticks(trajectory, horizon.to);
    double moment;
    reach->count = 0;
    do {
        moment = moment_of(trajectory, horizon, reach->count);
        reach->choices[reach->count] = (uint8_t)reach->count;
        reach->spreads[reach->count] = 0;
        reach->points[reach->count++] = raim_trajectory_at(trajectory, moment);
    } while (moment < last && reach->count < RAIM_REACH_POINTS);
    const raim_vec2 end = reach->points[reach->count - 1];
    reach->centre = raim_vec2_scale(raim_vec2_add(reach->points[0], end), 0.5);
    reach->extent = sqrt(raim_vec2_distance_squared(reach->points[0], end)) / 2;
}

bool raim_visibility_can_see_between(struct raim_visibility *visibility,
                                     const struct raim_viewpoint *viewpoint,
                                     const struct raim_view_target *target,
                                     struct raim_horizon horizon,
                                     struct raim_cached_witness witness)
{
    const raim_vec2 from =
        viewpoint->moves
            ? raim_reachability_at(runner_of(visibility, viewpoint->slot, viewpoint->eye),
                                   witness.from, (int)horizon.run)
            : viewpoint->eye;
    const raim_vec2 to =
        target->trajectory != NULL
            ? raim_trajectory_at(target->trajectory,
                                 moment_of(target->trajectory, horizon, witness.to))
            : raim_reachability_at(runner_of(visibility, target->slot, target->centre), witness.to,
                                   (int)horizon.to);
    // The raster answers for one in seven of these lines, because they pass near corners.
    return is_in_view(visibility, from, to, target->radius) &&
           raim_map_sees_circle(visibility->def.map, from, to, target->radius);
}

// --- ends of lines ---

// The factor by which rounding a corner may lengthen a run.
static const double gain = 1.001;

static struct raim_stabbing_lines_end eye_within(const struct raim_visibility *visibility,
                                                 const struct raim_viewpoint *viewpoint, double run)
{
    return (struct raim_stabbing_lines_end){
        viewpoint->eye, viewpoint->moves ? visibility->def.stride * gain * run : 0, 0};
}

static struct raim_stabbing_lines_end circle_within(const struct raim_visibility *visibility,
                                                    const struct raim_view_target *target,
                                                    double run)
{
    return (struct raim_stabbing_lines_end){target->centre, visibility->def.stride * gain * run,
                                            target->radius};
}

// A disc around all positions of a target: around those of a player, or around a bullet's path.
static struct raim_stabbing_lines_end target_within(const struct raim_visibility *visibility,
                                                    const struct raim_view_target *target,
                                                    struct raim_horizon horizon)
{
    if (target->trajectory == NULL)
        return circle_within(visibility, target, horizon.to);
    const double last = raim_trajectory_ticks(target->trajectory, horizon.to);
    const raim_vec2 end = raim_trajectory_at(target->trajectory, last);
    return (struct raim_stabbing_lines_end){
        raim_vec2_scale(raim_vec2_add(target->centre, end), 0.5),
        sqrt(raim_vec2_distance_squared(target->centre, end)) / 2,
        target->radius,
    };
}

// --- hidden by one obstacle ---

static int whole_ticks(const struct raim_visibility *visibility, double distance, int most)
{
    const double ticks = distance / (visibility->def.stride * gain);
    return ticks < most ? (int)floor(ticks) : most;
}

// The ends of a horizon that is longer by some ticks: the eye, and both ends of a bullet's path.
struct bullet_ends {
    struct raim_stabbing_lines_end from, to[2];
};

static struct bullet_ends bullet_ends_of(const struct raim_visibility *visibility,
                                         const struct raim_viewpoint *viewpoint,
                                         const struct raim_view_target *target,
                                         struct raim_horizon horizon, int ticks)
{
    const struct raim_trajectory *trajectory = target->trajectory;
    const double last = raim_trajectory_ticks(trajectory, horizon.to + (uint32_t)ticks);
    return (struct bullet_ends){
        eye_within(visibility, viewpoint, horizon.run + ticks),
        {{target->centre, 0, target->radius},
         {raim_trajectory_at(trajectory, last), 0, target->radius}},
    };
}

// One obstacle that hides both ends of a bullet's path hides the whole path. With the obstacle that
// hides the present path, the whole growth is tried, then a quarter of it.
static int bullet_hidden_ticks(const struct raim_visibility *visibility,
                               const struct raim_viewpoint *viewpoint,
                               const struct raim_view_target *target, struct raim_horizon horizon,
                               int most, bool only_blocker, uint16_t *blocker, double *side)
{
    const struct raim_map *map = visibility->def.map;
    struct bullet_ends ends = bullet_ends_of(visibility, viewpoint, target, horizon, 0);
    const struct raim_occlusion occlusion =
        only_blocker ? raim_map_pvs_occlusion_by(map, &ends.from, ends.to, 2, *blocker)
                     : raim_map_pvs_occlusion(map, &ends.from, ends.to, 2, blocker);
    *side = occlusion.side;
    if (occlusion.slack < 0)
        return -1;
    for (int ticks = most; ticks > 1; ticks /= 4) {
        ends = bullet_ends_of(visibility, viewpoint, target, horizon, ticks);
        if (raim_map_pvs_occlusion_by(map, &ends.from, ends.to, 2, *blocker).slack >= 0)
            return ticks;
    }
    return 0;
}

int raim_visibility_hidden_ticks(const struct raim_visibility *visibility,
                                 const struct raim_viewpoint *viewpoint,
                                 const struct raim_view_target *target, struct raim_horizon horizon,
                                 int most, bool only_blocker, uint16_t *blocker, double *side)
{
    if (target->trajectory != NULL)
        return bullet_hidden_ticks(visibility, viewpoint, target, horizon, most, only_blocker,
                                   blocker, side);
    const struct raim_map *map = visibility->def.map;
    const struct raim_stabbing_lines_end from = eye_within(visibility, viewpoint, horizon.run);
    const struct raim_stabbing_lines_end to = circle_within(visibility, target, horizon.to);
    const struct raim_occlusion occlusion =
        only_blocker ? raim_map_pvs_occlusion_by(map, &from, &to, 1, *blocker)
                     : raim_map_pvs_occlusion(map, &from, &to, 1, blocker);
    *side = occlusion.side;
    return occlusion.slack < 0 ? -1 : whole_ticks(visibility, occlusion.slack, most);
}

// --- a witness ---

// Returns a way of length 1, or 0 for 0.
static raim_vec2 unit_of(raim_vec2 way)
{
    const double length = raim_vec2_length(way);
    return length > 0 ? raim_vec2_scale(way, 1 / length) : way;
}

// Returns the way by which a target leaves the rectangle around an eye, 0 for one that does not.
static raim_vec2 way_out(const struct raim_visibility *visibility,
                         const struct raim_viewpoint *viewpoint,
                         const struct raim_view_target *target)
{
    const raim_vec2 way = raim_vec2_sub(target->centre, viewpoint->eye);
    const double x = fabs(way.x) - visibility->def.view.x / 2 - target->radius;
    const double y = fabs(way.y) - visibility->def.view.y / 2 - target->radius;
    return (raim_vec2){x > 0 ? copysign(x, way.x) : 0, y > 0 ? copysign(y, way.y) : 0};
}

// Both run to the side on which the target appears, and into the rectangle where the target is out
// of it. A bullet is tried at the end of its path, then at its present position.
bool raim_visibility_guess(struct raim_visibility *visibility,
                           const struct raim_viewpoint *viewpoint,
                           const struct raim_view_target *target, struct raim_horizon horizon,
                           double side, struct raim_cached_witness *witness)
{
    const raim_vec2 way = raim_vec2_sub(target->centre, viewpoint->eye);
    const raim_vec2 out = unit_of(way_out(visibility, viewpoint, target));
    const raim_vec2 aside = unit_of((raim_vec2){-side * way.y, side * way.x});
    witness->from = (uint8_t)raim_reachability_choice(raim_vec2_add(aside, out));
    if (target->trajectory == NULL) {
        witness->to = (uint8_t)raim_reachability_choice(raim_vec2_sub(aside, out));
        return raim_visibility_can_see_between(visibility, viewpoint, target, horizon, *witness);
    }
    witness->to = (uint8_t)last_choice(target->trajectory, horizon);
    if (raim_visibility_can_see_between(visibility, viewpoint, target, horizon, *witness))
        return true;
    witness->to = 0;
    return raim_visibility_can_see_between(visibility, viewpoint, target, horizon, *witness);
}

bool raim_visibility_can_see(struct raim_visibility *visibility,
                             const struct raim_viewpoint *viewpoint,
                             const struct raim_view_target *target, struct raim_horizon horizon,
                             uint16_t *blocker, struct raim_cached_witness *witness)
{
    const struct raim_stabbing_lines_end ends[2] = {eye_within(visibility, viewpoint, horizon.run),
                                                    target_within(visibility, target, horizon)};
    struct raim_stabbing_lines lines;
    if (!raim_map_pvs_free_lines(visibility->def.map, &ends[0], &ends[1], blocker, &lines))
        return false;
    struct raim_reach from, to;
    if (viewpoint->moves)
        reach_of_player(visibility, viewpoint->slot, viewpoint->eye, horizon.run, &from);
    else
        reach_of_point(viewpoint->eye, &from);
    if (target->trajectory != NULL)
        reach_by_flight(target->trajectory, horizon, &to);
    else
        reach_of_player(visibility, target->slot, target->centre, horizon.to, &to);
    struct raim_view_ray view_ray;
    if (!raim_map_pvs_could_see(visibility->def.map, &lines, &from, &to, target->radius,
                                visibility->def.view, &view_ray))
        return false;
    *witness = (struct raim_cached_witness){from.choices[view_ray.from], to.choices[view_ray.to]};
    return true;
}
