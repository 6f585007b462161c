// SPDX-License-Identifier: MIT
// Visibility: what can be seen from where in one tick, and from anywhere that the viewer and the
// target could come to within some ticks more. It is geometry alone and remembers nothing beyond
// the tick, but for the memory in which it works; visibility_cache.h decides when an older answer
// still holds. Thread rule: it belongs to one thread at a time.
#pragma once

#include "distance_field.h"
#include "map_pvs.h"

struct raim_visibility;

struct raim_visibility_def {
    const struct raim_map *map;                       // borrowed
    const struct raim_distance_field *distance_field; // of that map; borrowed
    raim_vec2 view;       // width and height of every viewer's rectangle, in units
    uint32_t slots;       // of players
    double player_radius; // units
    double stride;        // units that a player runs in a tick
    uint32_t longest_run; // ticks, of any horizon
};

// Where a viewer looks from.
struct raim_viewpoint {
    uint32_t slot; // of the player through whose eyes it looks
    raim_vec2 eye; // units
    bool moves;    // a player that is down does not
};

// A bullet's straight flight from the present tick on.
struct raim_trajectory {
    raim_vec2 position; // now, in units
    raim_vec2 step;     // units that it flies in a tick
    double left;        // ticks until a wall or its age ends it
};

// A circle that somebody may come to see: a player's or a bullet's.
struct raim_view_target {
    uint32_t slot; // among the players or among the bullets
    raim_vec2 centre;
    double radius;                            // units, positive
    const struct raim_trajectory *trajectory; // of a bullet; NULL for a player
};

// How far both may move until one sees the other: the viewer runs for up to `run` ticks; a target
// that is a player for up to `to`; one that is a bullet flies on from tick `from` to tick `to`.
struct raim_horizon {
    uint32_t run, from, to; // ticks from now, at most the def's longest_run
};

// Between which points the viewer sees the target: choices of a runner (reachability.h) or, of a
// bullet, moments of its flight. 0 and 0 are where both stand now, and stand for no witness.
struct raim_cached_witness {
    uint8_t from, to;
};

// Returns NULL when memory runs out. Destroying NULL does nothing.
struct raim_visibility *raim_visibility_create(const struct raim_visibility_def *def);
void raim_visibility_destroy(struct raim_visibility *visibility);

// Begins another tick. Until the next one, a player's place always means the same position.
void raim_visibility_set_tick(struct raim_visibility *visibility, uint32_t tick);

// Whether an eye sees a circle: it is in the rectangle around the eye, and no obstacle hides all of
// it. With `exactly` false, a line that passes near an obstacle counts as blocked, which costs a
// tenth.
bool raim_visibility_sees_circle(const struct raim_visibility *visibility, raim_vec2 eye,
                                 raim_vec2 centre, double radius, bool exactly);

// Whether an eye sees the centre of a circle, any part of which is in the rectangle around the eye.
bool raim_visibility_sees_centre(const struct raim_visibility *visibility, raim_vec2 eye,
                                 raim_vec2 centre, double radius);

// Whether a viewer comes to see a target within a horizon; see raim_map_pvs_sees, also for
// `blocker`. Where it does, `witness` says between which points.
bool raim_visibility_can_see(struct raim_visibility *visibility,
                             const struct raim_viewpoint *viewpoint,
                             const struct raim_view_target *target, struct raim_horizon horizon,
                             uint16_t *blocker, struct raim_cached_witness *witness);

// Whether it does between the points of a witness, of this tick or an earlier one. It costs far
// less than to look for another.
bool raim_visibility_can_see_between(struct raim_visibility *visibility,
                                     const struct raim_viewpoint *viewpoint,
                                     const struct raim_view_target *target,
                                     struct raim_horizon horizon,
                                     struct raim_cached_witness witness);

// True when neither the viewer nor the target, a player, can come to see the other within so many
// ticks, wherever they run. False says nothing; see raim_map_is_apart.
bool raim_visibility_is_apart(const struct raim_visibility *visibility,
                              const struct raim_viewpoint *viewpoint,
                              const struct raim_view_target *target, uint32_t ticks,
                              uint16_t *blocker);

// How many of the next `ticks` a bullet flies, with a fraction.
static inline double raim_trajectory_ticks(const struct raim_trajectory *trajectory, uint32_t ticks)
{
    return ticks < trajectory->left ? ticks : trajectory->left; // fmin costs a call
}

// Where a bullet is in so many ticks.
static inline raim_vec2 raim_trajectory_at(const struct raim_trajectory *trajectory, double ticks)
{
    return raim_vec2_mad(trajectory->position, trajectory->step, ticks);
}
