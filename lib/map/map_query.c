// SPDX-License-Identifier: MIT
// Collision queries against a map, and the movement of circles through it.
#include "map.h"
#include "sat.h"

#include "map_clearance.h"
#include "map_grid.h"
#include "preload.h"

#include <assert.h>

// The limit of a push out of obstacles. Only a circle that does not fit needs more than a few
// rounds.
enum { PUSH_ROUNDS = 8 };

// Normals whose squared sine is below this count as parallel.
static const double parallel = 1e-3;

// The tolerance for rounding, in units: swept boxes are grown by it.
static const double sweep_margin = 1e-6;

// Returns an upper bound of the length of a vector that is at most 8.3 % above it, without a square
// root.
static double length_bound(raim_vec2 vector)
{
    const double x = fabs(vector.x), y = fabs(vector.y);
    // Without a branch, which would be unpredictable.
    const double longer = x > y ? x : y, shorter = x > y ? y : x;
    return longer + shorter * 0.41422; // sqrt(2) - 1, rounded up
}

static void keep_deeper(raim_contact *deepest, raim_vec2 normal, double depth)
{
    if (depth > deepest->depth)
        *deepest = (raim_contact){normal, depth};
}

// Finds the deepest overlap with an obstacle or the border. Returns false when none is deeper than
// the slop.
static bool find_deepest(const struct raim_map *map, raim_vec2 centre, double radius,
                         raim_vec2 from, raim_contact *deepest)
{
    deepest->depth = RAIM_MAP_SLOP;
    if (raim_map_is_clear(map, centre, radius))
        return false;
    const double left = map->border.min.x + radius - centre.x;
    const double right = centre.x + radius - map->border.max.x;
    const double low = map->border.min.y + radius - centre.y;
    const double high = centre.y + radius - map->border.max.y;
    if ((left > RAIM_MAP_SLOP) | (right > RAIM_MAP_SLOP) | (low > RAIM_MAP_SLOP) |
        (high > RAIM_MAP_SLOP)) {
        keep_deeper(deepest, (raim_vec2){1, 0}, left);
        keep_deeper(deepest, (raim_vec2){-1, 0}, right);
        keep_deeper(deepest, (raim_vec2){0, 1}, low);
        keep_deeper(deepest, (raim_vec2){0, -1}, high);
    }

    const raim_box box = raim_box_grow((raim_box){centre, centre}, radius);
    const struct raim_map_span span = raim_map_span_of(&map->grid, box);
    for (int row = span.first_row; row <= span.last_row; row++) {
        const struct raim_map_run run =
            raim_map_run_of(&map->grid, row, span.first_column, span.last_column);
        for (const int *entry = run.first; entry < run.end; entry++) {
            const raim_polygon *polygon = &map->obstacles[*entry];
            raim_contact contact;
            if (raim_box_overlaps(polygon->bounds, box) &&
                raim_sat_circle(polygon, centre, radius, from, &contact))
                keep_deeper(deepest, contact.normal, contact.depth);
        }
    }
    return deepest->depth > RAIM_MAP_SLOP;
}

bool raim_map_is_free(const struct raim_map *map, raim_vec2 centre, double radius)
{
    raim_contact contact;
    return !find_deepest(map, centre, radius, centre, &contact);
}

bool raim_map_normal(const struct raim_map *map, raim_vec2 centre, double radius, raim_vec2 from,
                     raim_vec2 *normal)
{
    raim_contact contact;
    if (!find_deepest(map, centre, radius, from, &contact))
        return false;
    *normal = contact.normal;
    return true;
}

// The motion of a circle, prepared for a traversal of the grid by rows.
struct sweep {
    raim_vec2 start, displacement;
    double radius;
    raim_box box; // around the whole motion
};

static struct sweep sweep_of(raim_vec2 start, raim_vec2 displacement, double radius)
{
    const raim_box path =
        raim_box_include((raim_box){start, start}, raim_vec2_add(start, displacement));
    return (struct sweep){start, displacement, radius, raim_box_grow(path, radius + sweep_margin)};
}

// Finds the part of a motion during which the circle touches a row of cells. Returns false when it
// touches none.
static bool clip_to_row(const struct sweep *sweep, const struct raim_map_grid *grid, int row,
                        double *enter, double *leave)
{
    *enter = 0;
    *leave = 1;
    if (sweep->displacement.y == 0)
        return true;
    const double reach = sweep->radius + sweep_margin;
    const double low = grid->origin.y + row / grid->cells_per_unit - reach;
    const double high = grid->origin.y + (row + 1) / grid->cells_per_unit + reach;
    const double at_low = (low - sweep->start.y) / sweep->displacement.y;
    const double at_high = (high - sweep->start.y) / sweep->displacement.y;
    const double first = at_low < at_high ? at_low : at_high;
    const double last = at_low < at_high ? at_high : at_low;
    *enter = first > 0 ? first : 0;
    *leave = last < 1 ? last : 1;
    return *enter <= *leave;
}

// Returns the first touch with the obstacles of a run, or `first` when that is sooner.
static double touch_run(const struct raim_map *map, struct raim_map_run run,
                        const struct sweep *sweep, double first)
{
    for (const int *entry = run.first; entry < run.end; entry++) {
        const raim_polygon *polygon = &map->obstacles[*entry];
        if (!raim_box_overlaps(polygon->bounds, sweep->box))
            continue;
        const double time =
            raim_sweep_polygon(polygon, sweep->start, sweep->displacement, sweep->radius);
        first = time < first ? time : first;
    }
    return first;
}

// Returns the first touch with an obstacle, or `first` when that is sooner. Visits the rows in the
// direction of the motion and, in each row, the columns that the circle touches there.
static double touch_obstacles(const struct raim_map *map, const struct sweep *sweep, double first)
{
    const struct raim_map_grid *grid = &map->grid;
    const struct raim_map_span span = raim_map_span_of(grid, sweep->box);
    if (span.first_row == span.last_row)
        return touch_run(map,
                         raim_map_run_of(grid, span.first_row, span.first_column, span.last_column),
                         sweep, first);
    const bool up = sweep->displacement.y >= 0;
    const double reach = sweep->radius + sweep_margin;
    for (int i = 0; i <= span.last_row - span.first_row; i++) {
        const int row = up ? span.first_row + i : span.last_row - i;
        double enter, leave;
        if (!clip_to_row(sweep, grid, row, &enter, &leave))
            continue;
        if (enter > first)
            break;
        const double a = sweep->start.x + sweep->displacement.x * enter;
        const double b = sweep->start.x + sweep->displacement.x * leave;
        const int first_column = raim_map_column_of(grid, (a < b ? a : b) - reach);
        const int last_column = raim_map_column_of(grid, (a < b ? b : a) + reach);
        first = touch_run(map, raim_map_run_of(grid, row, first_column, last_column), sweep, first);
    }
    return first;
}

bool raim_map_sees(const struct raim_map *map, raim_vec2 from, raim_vec2 to)
{
    const struct sweep sweep = sweep_of(from, raim_vec2_sub(to, from), 0);
    return touch_obstacles(map, &sweep, RAIM_SWEEP_MISS) > 1;
}

double raim_map_sweep(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                      double radius)
{
    if (raim_map_is_clear(map, start, radius + length_bound(displacement)))
        return RAIM_SWEEP_MISS;
    const struct sweep sweep = sweep_of(start, displacement, radius);
    return touch_obstacles(map, &sweep, raim_sweep_box(map->border, start, displacement, radius));
}

// Pushes a circle out of all obstacles that it overlaps, deepest first. Returns false when that
// fails. An obstacle that it still overlaps after the first push forms a corner with the first one;
// the circle then moves along the first obstacle, up to the point where it touches both.
static bool push_out(const struct raim_map *map, double radius, raim_vec2 from, raim_vec2 *centre)
{
    raim_vec2 held = {0, 0}; // normal of the last push
    for (int round = 0; round < PUSH_ROUNDS; round++) {
        raim_contact contact;
        if (!find_deepest(map, *centre, radius, from, &contact))
            return true;
        const double along = raim_vec2_dot(held, contact.normal);
        raim_vec2 way = raim_vec2_mad(contact.normal, held, -along);
        double gain = raim_vec2_dot(way, contact.normal);
        if (gain < parallel) {
            way = contact.normal;
            gain = 1;
        }
        *centre = raim_vec2_mad(*centre, way, contact.depth / gain);
        held = contact.normal;
    }
    return raim_map_is_free(map, *centre, radius);
}

// Returns the end of the longest straight motion of a circle.
static raim_vec2 stop_short(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                            double radius)
{
    const double time = raim_map_sweep(map, start, displacement, radius);
    const raim_vec2 end = raim_vec2_mad(start, displacement, time < 1 ? time : 1);
    // A touch is about as deep as the slop, so rounding may make the end an overlap.
    return raim_map_is_free(map, end, radius) ? end : start;
}

// Moves a circle by at most half its radius. A free centre is a radius away from all obstacles, so
// an end less than a radius away cannot be on the far side of one. A push that ends behind the
// start would make a circle bounce in a gap that is too narrow; only an overlap at the start
// justifies it.
static raim_vec2 stride(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                        double radius)
{
    raim_vec2 end = raim_vec2_add(start, displacement);
    if (!push_out(map, radius, start, &end))
        return stop_short(map, start, displacement, radius);
    const raim_vec2 moved = raim_vec2_sub(end, start);
    if (raim_vec2_length_squared(moved) >= radius * radius)
        return stop_short(map, start, displacement, radius);
    if (raim_vec2_dot(moved, displacement) < 0 && raim_map_is_free(map, start, radius))
        return stop_short(map, start, displacement, radius);
    return end;
}

raim_vec2 raim_map_move(const struct raim_map *map, raim_vec2 start, raim_vec2 displacement,
                        double radius)
{
    assert(radius > 0);
    // Most motions are a single stride.
    const double longest = length_bound(displacement);
    if (longest < radius * 0.49) {
        if (raim_map_is_clear(map, start, radius + longest))
            return raim_vec2_add(start, displacement);
        return stride(map, start, displacement, radius);
    }
    const double length = raim_vec2_length(displacement);
    assert(length < 4.0 * RAIM_MAP_REACH);
    const int strides = (int)(length / (radius / 2)) + 1;
    const raim_vec2 each = raim_vec2_scale(displacement, 1.0 / strides);
    raim_vec2 position = start;
    for (int i = 0; i < strides; i++)
        position = stride(map, position, each, radius);
    return position;
}

// The corners that are loaded. An obstacle with more of them is rarer, and a query loads the rest.
enum { PIECE_CORNERS = 4, OUTLINE_CORNERS = 7 };

// About the number of cache lines that these corners take.
enum { PIECE_LINES = 6, OUTLINE_LINES = 2 };

static void preload_piece(const raim_polygon *piece)
{
    raim_preload(piece, offsetof(raim_polygon, points[PIECE_CORNERS]));
    raim_preload(piece->normals, PIECE_CORNERS * sizeof *piece->normals);
    raim_preload(piece->offsets, PIECE_CORNERS * sizeof *piece->offsets);
}

void raim_map_preload(const struct raim_map *map, size_t most)
{
    const size_t cells = (size_t)map->distance_field.columns * (size_t)map->distance_field.rows;
    const size_t index = raim_box_index_bytes(&map->box_index);
    const int lines = map->obstacle_count * PIECE_LINES + map->outline_count * OUTLINE_LINES;
    if (cells + index + (size_t)lines * RAIM_CACHE_LINE > most)
        return;
    raim_preload(map->distance_field.cells, cells);
    raim_preload(map->box_index.sets, index);
    for (int i = 0; i < map->obstacle_count; i++)
        preload_piece(&map->obstacles[i]);
    for (int i = 0; i < map->outline_count; i++)
        raim_preload(&map->outlines[i], offsetof(struct raim_map_outline, points[OUTLINE_CORNERS]));
}
