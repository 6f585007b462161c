// SPDX-License-Identifier: MIT
// The potentially visible set of a moving viewer: could a player who runs for some time come to see
// another player who runs as long? A server must send a client the players that the client may see
// before its next snapshots arrive, and should send no others, so that cheats have nothing to
// reveal.
//
// A result stays valid for some time. Players who could see each other within a distance still can
// within a longer one, longer by what either has run since: it may run back first. Players who are
// hidden from each other up to a distance still are up to a shorter one, shorter by what either has
// moved since. A caller that asks for a few ticks more than it needs can reuse the result
// meanwhile. Units: coordinates, radii and distances are in units, and finite. Thread rule: the
// functions keep no state; any threads may share the map.
#pragma once

#include "map.h"
#include "occluder.h"
#include "stabbing_lines.h"

// Reachability: the points that a running player can reach within a number of steps. Each direction
// is computed on first use, and once for all numbers of steps.
// Units: coordinates, radii and the length of a step are in units, and finite.
// Thread rule: a table of reachable points belongs to one thread at a time; any threads may share
// the map.

#define RAIM_RUN_DIRECTIONS 8

// The choices of a run: to stay; to run the whole time in one of eight directions; to run half the
// time; and, for a blocked direction, to run half the time in an adjacent one first.
enum {
    RAIM_REACH_STAY,
    RAIM_REACH_END,
    RAIM_REACH_HALF = RAIM_REACH_END + RAIM_RUN_DIRECTIONS,
    RAIM_REACH_TURN = RAIM_REACH_HALF + RAIM_RUN_DIRECTIONS,
    RAIM_REACH_CHOICES = RAIM_REACH_TURN + 2 * RAIM_RUN_DIRECTIONS,
};

// The largest number of points that are computed: of two adjacent directions, only one is a detour
// for the other.
#define RAIM_REACH_POINTS (RAIM_REACH_TURN + RAIM_RUN_DIRECTIONS)

// The points that a circle can reach within a time, and a disc around them, except for rounding.
// The points may also be any others to see from or to be seen at, such as those of a bullet. A
// point is computed on demand: until then, only a disc around it is known.
struct raim_reach {
    raim_vec2
        points[RAIM_REACH_CHOICES];      // points[0]: the position; the most informative ones first
    double spreads[RAIM_REACH_CHOICES];  // radius of the disc; 0: computed, negative: not worth it
    uint8_t choices[RAIM_REACH_CHOICES]; // the RAIM_REACH_ choice behind each point of a player
    int count;                           // 1 for a player that cannot move
    raim_vec2 centre;
    double extent;                    // the radius of the disc around all
    struct raim_reachability *source; // computes the points; NULL where all are
    int steps;
};

// A lazily filled table of the points that one player can reach. The player is free at its centre.
struct raim_reachability {
    const struct raim_map *map;
    raim_vec2 centre;
    double radius, step; // units
    int steps;           // at most
    double free_steps;   // number of steps without an obstacle in any direction
    struct raim_run {
        double clear_steps; // steps before the first obstacle; negative: not computed yet
        int computed;       // the last of its points that is computed
    } runs[RAIM_RUN_DIRECTIONS];
    raim_vec2 *points; // by direction, then steps; computed from the first obstacle on
};

// Begins a table for a player of a radius that runs up to `steps` steps of the length `step`.
// `points` has room for RAIM_RUN_DIRECTIONS * (steps + 1) points. Borrows the map and the points.
void raim_reachability_begin(struct raim_reachability *table, const struct raim_map *map,
                             raim_vec2 centre, double radius, double step, int steps,
                             raim_vec2 *points);

// Returns the point that a choice leads to in a number of steps, 0 to the table's: a straight run
// by raim_map_move that slides along obstacles and turns once at most. A player that is kept on the
// map's grid ends within about one grid step of it.
raim_vec2 raim_reachability_at(struct raim_reachability *table, int choice, int steps);

// Collects the points that may be worth testing for a number of steps, 0 to the table's: the
// position, the straight runs and, near obstacles, the turns into blocked directions. Computes only
// those that are in the open; the reach borrows the table for the others.
void raim_reachability_find(struct raim_reachability *table, int steps, struct raim_reach *reach);

// Computes a point of a reach. Returns false for one that is not worth testing: a turn into a
// direction that is not blocked, or from one that is.
bool raim_reach_compute(struct raim_reach *reach, int index);

// Returns the choice of the straight run that leads most nearly in a direction, which is not 0.
int raim_reachability_choice(raim_vec2 way);

// Returns true when any part of a circle is in the view, a rectangle of the width view.x and the
// height view.y around an eye.
static inline bool raim_is_in_view(raim_vec2 view, raim_vec2 eye, raim_vec2 centre, double radius)
{
    const double x = fabs(centre.x - eye.x) - view.x / 2, y = fabs(centre.y - eye.y) - view.y / 2;
    return x <= radius && y <= radius && (x <= 0 || y <= 0 || x * x + y * y <= radius * radius);
}

// A free line of sight: the index of the viewer's point it starts from, and of the target's point
// that it leads to.
struct raim_view_ray {
    int from, to;
};

// Finds the lines between all positions of a viewer and of a target that no obstacle blocks.
// Returns false when there are none: no run reveals the target then. True with an empty set means
// that the ends are too close for a set; nearly every direction connects them.
//
// `blocker` is the index of the obstacle that is tested first, because the obstacle that hid a
// target in the last query usually still does. Any initial value is valid. It becomes the index of
// the obstacle that blocked the last lines of sight.
bool raim_map_pvs_free_lines(const struct raim_map *map, const struct raim_stabbing_lines_end *from,
                             const struct raim_stabbing_lines_end *to, uint16_t *blocker,
                             struct raim_stabbing_lines *lines);

// Returns true when a pair of points, one of the viewer and one of the target, exists for which
// raim_is_in_view and raim_map_sees_circle are both true; `ray` then receives the pair. It is thus
// never true for a target that no run reveals. `lines` is the result of raim_map_pvs_free_lines for
// discs around the points of both. It finds a pair whenever there is one, if there are at most 96
// pairs, or if the two players are far enough apart that not nearly every direction connects them.
// Otherwise it tests only 81 to 96 of the likely pairs. The circles around the target's points must
// be free; the radius must be positive. Computes points of both as needed.
//
// Of the hidden pairs of the shipped maps that some run of two legs reveals, runs up to 24 units
// miss 0.1 %, runs of 45 units 0.2 %, runs of 75 units 0.5 %: pairs that become visible by a narrow
// margin at the very end of the run.
bool raim_map_pvs_could_see(const struct raim_map *map, const struct raim_stabbing_lines *lines,
                            struct raim_reach *viewer, struct raim_reach *target, double radius,
                            raim_vec2 view, struct raim_view_ray *ray);

// Finds the single obstacle that hides best, see raim_occluder_find, also for two second ends.
// Tries the obstacle of the piece `blocker` first. If it does not hide the ends, tries the others,
// of which the best one becomes `blocker`. Finds obstacles only in maps that were made from
// obstacles.
struct raim_occlusion raim_map_pvs_occlusion(const struct raim_map *map,
                                             const struct raim_stabbing_lines_end *from,
                                             const struct raim_stabbing_lines_end *to, int to_count,
                                             uint16_t *blocker);

// Finds how the obstacle of the piece `blocker` hides; any value is valid.
struct raim_occlusion raim_map_pvs_occlusion_by(const struct raim_map *map,
                                                const struct raim_stabbing_lines_end *from,
                                                const struct raim_stabbing_lines_end *to,
                                                int to_count, uint16_t blocker);
