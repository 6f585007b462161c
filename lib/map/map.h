// SPDX-License-Identifier: MIT
// A map: the border, the obstacles and the spawn points of an arena, and the questions of collision
// and visibility that they answer.
// Units: coordinates, radii and displacements are in units, and finite.
// Thread rule: a map does not change once it is created, so any threads may share one until one of
// them destroys it.
#pragma once

#include "box_index.h"
#include "outline.h"
#include "sweep.h"

#include <stddef.h>
#include <stdint.h>

// Map coordinates live on this grid, in units: it is what the wire can tell, so that a client
// collides with exactly the server's polygons. Creation rounds to it.
#define RAIM_MAP_STEPS 32 // per unit
#define RAIM_MAP_GRID (1.0 / RAIM_MAP_STEPS)

// The nearest point of the grid.
static inline raim_vec2 raim_map_round(raim_vec2 point)
{
    return (raim_vec2){floor(point.x * RAIM_MAP_STEPS + 0.5) / RAIM_MAP_STEPS,
                       floor(point.y * RAIM_MAP_STEPS + 0.5) / RAIM_MAP_STEPS};
}

// No coordinate may lie farther out than this, in units: 20 signed bits of the grid on the wire.
#define RAIM_MAP_REACH 16000

// Of convex obstacles: each is a row of the client's and a test of the collision's.
#define RAIM_MAX_OBSTACLES 4096
#define RAIM_MAX_SPAWNS 256

// The smallest border side, in units: a few players must fit.
#define RAIM_MIN_BORDER 200.0

#define RAIM_MAP_NAME_BYTES 32 // with the closing NUL

// An overlap up to this, in units, counts as none. It is what a sweep calls a touch, so that a
// circle that is free is also free to go.
#define RAIM_MAP_SLOP RAIM_SWEEP_TOUCH

// An obstacle as an author draws it: a simple polygon, convex or not, in either winding.
struct raim_obstacle_def {
    raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
    int count;
};

// A convex piece of another map's obstacle, as a client is told it: counter-clockwise corners, and
// a bit for each edge that is a seam.
struct raim_piece_def {
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    int count;
    uint32_t seams;
};

// What a map is made from, obstacles in a server and pieces in a client; the arrays are borrowed
// during creation only.
struct raim_map_def {
    const char *name;
    raim_box border;
    const struct raim_obstacle_def *obstacles;
    int obstacle_count;
    const struct raim_piece_def *pieces;
    int piece_count;
    const raim_vec2 *spawns;
    int spawn_count; // 0 where nobody is spawned: in clients
};

enum raim_map_error {
    RAIM_MAP_OK,
    RAIM_MAP_BORDER,           // not finite, beyond the reach, or smaller than RAIM_MIN_BORDER
    RAIM_MAP_OBSTACLE,         // see `outline` and `index`
    RAIM_MAP_OBSTACLE_OUTSIDE, // a corner of obstacle or piece `index` lies outside the border
    RAIM_MAP_PIECE,            // piece `index` is no convex polygon, or has a seam too many
    RAIM_MAP_SPAWN_OUTSIDE,    // spawn `index` lies outside the border
    RAIM_MAP_SPAWN_BLOCKED,    // spawn `index` lies inside an obstacle
    RAIM_MAP_COUNT,            // too many obstacles, convex pieces of them, or spawns
    RAIM_MAP_MEMORY,
};

struct raim_map_problem {
    enum raim_map_error error;
    struct raim_outline_problem outline;
    int index; // of the obstacle, piece or spawn that is wrong
};

// An obstacle as it was drawn, for those who draw or check a map.
struct raim_map_outline {
    raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
    int count;
    int first_piece, piece_count; // among the map's obstacles
};

struct raim_map {
    char name[RAIM_MAP_NAME_BYTES];
    raim_box border;
    raim_polygon *obstacles; // convex: outlines are cut, and their pieces lie one after another
    int obstacle_count;
    struct raim_map_outline *outlines; // none in a map that was made from pieces
    int outline_count;
    raim_vec2 *spawns;
    int spawn_count;
    struct raim_map_grid {
        raim_vec2 origin;
        double cells_per_unit;
        int columns, rows;
        int *starts;  // columns * rows + 1 offsets into `entries`
        int *entries; // obstacle indexes, ascending within a cell
    } grid;
    struct raim_box_index box_index; // of the obstacles
};

// Returns a map, with RAIM_MAP_OK in `problem`, or NULL with the first problem found. Any
// values are judged, in range or not; a name that is too long is cut. Destroying NULL does nothing.
struct raim_map *raim_map_create(const struct raim_map_def *def, struct raim_map_problem *problem);
void raim_map_destroy(struct raim_map *map);

// Says whether an outline would be accepted as an obstacle of this border; lets a loader report
// every bad obstacle and not only the first.
struct raim_map_problem raim_map_check_obstacle(raim_box border,
                                                const struct raim_obstacle_def *obstacle);

// True when a circle overlaps neither an obstacle nor the border by more than RAIM_MAP_SLOP. The
// radius is 0 or more.
bool raim_map_is_free(const struct raim_map *map, raim_vec2 centre, double radius);

// True when nothing blocks the straight line between two points.
bool raim_map_sees(const struct raim_map *map, raim_vec2 from, raim_vec2 to);

// True when any part of a circle can be seen from a point: when a straight line to it passes the
// obstacles by, or between them through a gap wider than RAIM_SIGHT_SLIT. Exact, also where an
// obstacle overlaps the circle: what is inside the obstacle is not seen. Who is in the circle sees
// it; else, who is inside an obstacle sees nothing. The radius must be positive.
bool raim_map_sees_circle(const struct raim_map *map, raim_vec2 from, raim_vec2 centre,
                          double radius);

// The part of a box, `view`, that can be seen from a point in it: the corners, counter-clockwise,
// of a polygon that is star-shaped about the point. Writes the first `capacity` corners and returns
// how many there are: where these are more, the polygon is not complete. Who touches an obstacle
// looks from just before it. Returns 0 when the point is outside the box or on its outline, inside
// an obstacle, or stuck where obstacles touch.
int raim_map_visible_area(const struct raim_map *map, raim_vec2 from, raim_box view,
                          raim_vec2 *points, int capacity);

// The fraction of the displacement, 0 to 1, at which a moving circle first touches an obstacle or
// the border; RAIM_SWEEP_MISS, which is more than 1, where it touches nothing. The radius is 0 or
// more.
double raim_map_sweep(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                      double radius);

// Moves a circle that is free at `start`, sliding along what it meets; the result is free too and
// never behind something. A start that is not free, such as a rounded one, is pushed free when less
// than a radius does it. The radius is positive, the displacement shorter than 4 * RAIM_MAP_REACH.
raim_vec2 raim_map_move(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                        double radius);
