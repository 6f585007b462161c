// SPDX-License-Identifier: MIT
// Visibility queries: decide whether a viewer sees a target in one tick, or could see it after both
// have moved for some ticks. They are pure geometry, and keep answers only within the tick;
// visibility_cache.h decides when an earlier answer still holds. Thread rule: a visibility object
// belongs to one thread at a time.
#pragma once

#include "map_pvs.h"

struct raim_visibility;

struct raim_visibility_def {
    const struct raim_map *map; // borrowed
    raim_vec2 view;             // width and height of every viewer's rectangle, in units
    uint32_t slots;             // of players
    double player_radius;       // units
    double stride;              // units that a player runs per tick
    uint32_t longest_run;       // ticks, of any horizon
};

// The position from which a viewer sees.
struct raim_viewpoint {
    uint32_t slot; // of the viewed player
    raim_vec2 eye; // units
    bool moves;    // false for a player who is down
};

// A bullet's straight path from the present tick on.
struct raim_trajectory {
    raim_vec2 position; // now, in units
    raim_vec2 step;     // units per tick
    double left;        // ticks until a wall or its age stops the bullet
};

// A circle that may become visible: a player or a bullet.
struct raim_view_target {
    uint32_t slot; // of a player or of a bullet
    raim_vec2 centre;
    double radius;                            // units, positive
    const struct raim_trajectory *trajectory; // of a bullet; NULL for a player. Borrowed
};

// The horizon of a query, in ticks from now. The viewer runs for up to `run` ticks. A player as
// target runs for up to `to` ticks, a bullet flies from tick `from` to tick `to`.
struct raim_horizon {
    uint32_t run, from, to; // at most the def's longest_run
};

// A cached witness: the pair of reachable points between which the viewer saw the target. The
// points are choices of a runner (map_pvs.h) or, for a bullet, moments of its flight. {0, 0}
// are both present positions and means that there is no witness.
struct raim_cached_witness {
    uint8_t from, to;
};

// Returns NULL when memory runs out. Destroying NULL does nothing.
struct raim_visibility *raim_visibility_create(const struct raim_visibility_def *def);
void raim_visibility_destroy(struct raim_visibility *visibility);

// Begins a tick. Within a tick the position of each player's slot must not change.
void raim_visibility_set_tick(struct raim_visibility *visibility, uint32_t tick);

// Whether an eye sees a circle: the circle is in the rectangle around the eye and no obstacle hides
// all of it. With `exactly` false, a line that passes near an obstacle counts as blocked, which
// takes a tenth of the time.
bool raim_visibility_sees_circle(const struct raim_visibility *visibility, raim_vec2 eye,
                                 raim_vec2 centre, double radius, bool exactly);

// Whether an eye sees the centre of a circle. Any part of the circle must be in the rectangle
// around the eye.
bool raim_visibility_sees_centre(const struct raim_visibility *visibility, raim_vec2 eye,
                                 raim_vec2 centre, double radius);

// Whether a viewer can see a target within a horizon; see raim_map_pvs_could_see, and
// raim_map_pvs_free_lines for `blocker`. On true, `witness` receives the pair of points.
bool raim_visibility_can_see(struct raim_visibility *visibility,
                             const struct raim_viewpoint *viewpoint,
                             const struct raim_view_target *target, struct raim_horizon horizon,
                             uint16_t *blocker, struct raim_cached_witness *witness);

// Tries the pair of points that most often is a witness, which costs far less than a search by
// raim_visibility_can_see. `side` is the side on which the target is likely to appear: 1 is the
// left, -1 the right. `witness` receives the pair of points, also on false.
bool raim_visibility_guess(struct raim_visibility *visibility,
                           const struct raim_viewpoint *viewpoint,
                           const struct raim_view_target *target, struct raim_horizon horizon,
                           double side, struct raim_cached_witness *witness);

// Whether the viewer can see the target between the points of a witness from this tick or an
// earlier one. This costs far less than a full search by raim_visibility_can_see.
bool raim_visibility_can_see_between(struct raim_visibility *visibility,
                                     const struct raim_viewpoint *viewpoint,
                                     const struct raim_view_target *target,
                                     struct raim_horizon horizon,
                                     struct raim_cached_witness witness);

// Returns the number of ticks, 0 to `most`, by which a horizon may grow while one obstacle hides
// the target from the viewer, wherever they run. Returns -1 if no single obstacle does.
// `side` receives the side on which the target is likely to appear. See raim_map_pvs_occlusion,
// also for `blocker`. With `only_blocker` it tests only that obstacle.
int raim_visibility_hidden_ticks(const struct raim_visibility *visibility,
                                 const struct raim_viewpoint *viewpoint,
                                 const struct raim_view_target *target, struct raim_horizon horizon,
                                 int most, bool only_blocker, uint16_t *blocker, double *side);

// Returns for how many of the next `ticks` a bullet still flies, including a fraction.
static inline double raim_trajectory_ticks(const struct raim_trajectory *trajectory, uint32_t ticks)
{
    return ticks < trajectory->left ? ticks : trajectory->left; // fmin costs a call
}

// The position of a bullet in `ticks` ticks.
static inline raim_vec2 raim_trajectory_at(const struct raim_trajectory *trajectory, double ticks)
{
    return raim_vec2_mad(trajectory->position, trajectory->step, ticks);
}
