// SPDX-License-Identifier: MIT
// Maps: the border, the obstacles and the spawn points of an arena, with collision and visibility
// queries.
// Units: coordinates, radii and displacements are in units, and finite.
// Thread rule: a map does not change once it is created, so any threads may share one until one of
// them destroys it.
#pragma once

#include "box_index.h"
#include "outline.h"
#include "sweep.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Map coordinates are multiples of this step, in units. It is the resolution of the wire, so a
// client collides with exactly the server's polygons. Creation rounds to it.
#define RAIM_MAP_STEPS 32 // per unit
#define RAIM_MAP_GRID (1.0 / RAIM_MAP_STEPS)

// Returns the nearest point of the grid.
static inline raim_vec2 raim_map_round(raim_vec2 point)
{
    const raim_vec2 result = {floor(point.x * RAIM_MAP_STEPS + 0.5) / RAIM_MAP_STEPS,
                              floor(point.y * RAIM_MAP_STEPS + 0.5) / RAIM_MAP_STEPS};
    return result;
}

// The largest absolute coordinate, in units: 20 signed bits of the grid on the wire.
#define RAIM_MAP_REACH 16000

// The capacities of a map, in convex pieces of obstacles and in spawn points. Each piece costs the
// client memory and a collision query a test.
#define RAIM_MAX_OBSTACLES 4096
#define RAIM_MAX_SPAWNS 256

// The smallest side of a border, in units, so that a few players fit.
#define RAIM_MIN_BORDER 200.0

#define RAIM_MAP_NAME_BYTES 32 // with the closing NUL

// Overlaps up to this, in units, are ignored. It equals the touch of a sweep, so that a circle that
// is free can also move.
#define RAIM_MAP_SLOP RAIM_SWEEP_TOUCH

// An obstacle as an author draws it: a simple polygon, convex or not, in either winding.
struct raim_obstacle_def {
    raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
    int count;
};

// A convex piece of an obstacle, as a server sends it to its clients: counter-clockwise corners,
// and a bit for each edge that is a seam.
struct raim_piece_def {
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    int count;
    uint32_t seams;
};

// The definition of a map: a server gives obstacles, a client gives pieces. Creation copies the
// arrays.
struct raim_map_def {
    const char *name;
    raim_box border;
    const struct raim_obstacle_def *obstacles;
    int obstacle_count;
    const struct raim_piece_def *pieces;
    int piece_count;
    const raim_vec2 *spawns;
    int spawn_count; // 0 in clients, which do not spawn players
};

enum raim_map_error {
    RAIM_MAP_OK,
    RAIM_MAP_BORDER,           // not finite, beyond the reach, or smaller than RAIM_MIN_BORDER
    RAIM_MAP_OBSTACLE,         // obstacle `index` is invalid, see `outline`
    RAIM_MAP_OBSTACLE_OUTSIDE, // a corner of obstacle or piece `index` lies outside the border
    RAIM_MAP_PIECE,         // piece `index` is not a convex polygon, or has more seams than edges
    RAIM_MAP_SPAWN_OUTSIDE, // spawn `index` lies outside the border
    RAIM_MAP_SPAWN_BLOCKED, // spawn `index` lies inside an obstacle
    RAIM_MAP_COUNT,         // too many obstacles, convex pieces of them, or spawns
    RAIM_MAP_MEMORY,
};

struct raim_map_problem {
    enum raim_map_error error;
    struct raim_outline_problem outline;
    int index; // of the obstacle, piece or spawn that is wrong
};

// An obstacle as its author drew it, for rendering and checking a map.
struct raim_map_outline {
    int count;
    int first_piece, piece_count; // among the map's obstacles
    raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
};

struct raim_map {
    char name[RAIM_MAP_NAME_BYTES];
    raim_box border;
    raim_polygon *obstacles; // convex: outlines are cut, and their pieces lie one after another
    int obstacle_count;
    struct raim_map_outline *outlines; // none in a map that was made from pieces
    int outline_count;
    uint16_t *outline_by_piece; // index of the outline that each obstacle is part of
    raim_vec2 *spawns;
    int spawn_count;
    struct raim_map_grid {
        raim_vec2 origin;
        double cells_per_unit;
        int columns, rows;
        int *starts;  // columns * rows + 1 offsets into `entries`
        int *entries; // obstacle indexes, ascending within a cell
    } grid;
    struct raim_map_clearance {
        double cells_per_unit;
        int columns, rows;
        uint8_t *cells; // by row, then column: whole units, see map_clearance.h
    } clearance;
    struct raim_map_distance_field {
        int columns, rows;
        uint8_t *cells; // by row, then column, see distance_field.h; none in a map made from pieces
    } distance_field;
    struct raim_box_index box_index; // of the obstacles
};

// Creates a map. Returns NULL, with the first problem found, for an invalid definition; `problem`
// is RAIM_MAP_OK otherwise. Accepts and judges any values. A name that is too long is truncated.
// Destroying NULL does nothing.
struct raim_map *raim_map_create(const struct raim_map_def *def, struct raim_map_problem *problem);
void raim_map_destroy(struct raim_map *map);

// Returns whether an outline would be accepted as an obstacle within this border. With it a loader
// can report every invalid obstacle, not only the first.
struct raim_map_problem raim_map_check_obstacle(raim_box border,
                                                const struct raim_obstacle_def *obstacle);

// Returns true when a circle overlaps neither an obstacle nor the border by more than
// RAIM_MAP_SLOP. The radius is 0 or more.
bool raim_map_is_free(const struct raim_map *map, raim_vec2 centre, double radius);

// Returns true when no obstacle blocks the straight line between two points.
bool raim_map_sees(const struct raim_map *map, raim_vec2 from, raim_vec2 to);

// Returns true when any part of a circle can be seen from a point: when a straight line to it
// passes the obstacles, or passes between them through a gap wider than RAIM_SIGHT_SLIT. The answer
// is exact; the part of a circle inside an obstacle cannot be seen. A viewer in the circle sees it.
// Any other viewer inside an obstacle sees nothing. The radius must be positive.
bool raim_map_sees_circle(const struct raim_map *map, raim_vec2 from, raim_vec2 centre,
                          double radius);

// Computes the visibility polygon of a point within a box, `view`: the corners, counter-clockwise,
// of a polygon that is star-shaped about the point. Writes up to `capacity` corners and returns the
// number of all corners; a larger number than the capacity means that the polygon is incomplete. A
// viewer that touches an obstacle is moved just in front of it. Returns 0 when the point is outside
// the box or on its outline, inside an obstacle, or stuck between touching obstacles.
int raim_map_visible_area(const struct raim_map *map, raim_vec2 from, raim_box view,
                          raim_vec2 *points, int capacity);

// Returns the fraction of the displacement, 0 to 1, at which a moving circle first touches an
// obstacle or the border, or RAIM_SWEEP_MISS, which is more than 1, without a touch. The radius is
// 0 or more.
double raim_map_sweep(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                      double radius);

// Finds the surface that a circle overlaps the deepest: its normal, of length 1, leads out of the
// obstacle or into the border. `from` is where the circle came from. Returns false when it overlaps
// nothing by more than RAIM_MAP_SLOP.
bool raim_map_normal(const struct raim_map *map, raim_vec2 centre, double radius, raim_vec2 from,
                     raim_vec2 *normal);

// Moves a circle that is free at `start` and slides it along obstacles. The returned position is
// free and never on the far side of an obstacle. A start that is not free, such as a rounded one,
// is pushed free when a push of less than a radius suffices. The radius is positive, the
// displacement shorter than 4 * RAIM_MAP_REACH.
raim_vec2 raim_map_move(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                        double radius);

// Loads what queries read of a map into the processor's cache, ahead of the queries of a tick,
// unless it is more than `most` bytes. Takes about 4 ns for each 64 bytes that are not in the
// cache. Any threads may share the map.
void raim_map_preload(const struct raim_map *map, size_t most);

#ifdef __cplusplus
}
#endif
