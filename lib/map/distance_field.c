// SPDX-License-Identifier: MIT
// Builds the field by a two-pass distance transform and traces lines through it.
#include "distance_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELL = 16, // side of a cell, in units
    FAR = 255, // largest distance, in cells
};

// The tolerance for rounding, in units: cells this close to an obstacle count as touched.
static const double margin = 1e-3;

static int clamp(double cells, int count)
{
    if (!(cells > 0))
        return 0;
    return cells < count ? (int)cells : count - 1;
}

static bool touches(const raim_polygon *obstacle, raim_box cell)
{
    if (!raim_box_overlaps(obstacle->bounds, cell))
        return false;
    for (int i = 0; i < obstacle->count; i++) {
        const raim_vec2 normal = obstacle->normals[i];
        const raim_vec2 nearest = {normal.x > 0 ? cell.min.x : cell.max.x,
                                   normal.y > 0 ? cell.min.y : cell.max.y};
        if (raim_polygon_separation(obstacle, i, nearest) > 0)
            return false;
    }
    return true;
}

static void mark_obstacle(struct raim_map *map, const raim_polygon *obstacle)
{
    struct raim_map_distance_field *field = &map->distance_field;
    const raim_vec2 origin = map->border.min;
    const raim_box box = {raim_vec2_sub(obstacle->bounds.min, origin),
                          raim_vec2_sub(obstacle->bounds.max, origin)};
    const int left = clamp((box.min.x - margin) / CELL, field->columns);
    const int right = clamp((box.max.x + margin) / CELL, field->columns);
    const int bottom = clamp((box.min.y - margin) / CELL, field->rows);
    const int top = clamp((box.max.y + margin) / CELL, field->rows);
    for (int row = bottom; row <= top; row++) {
        for (int column = left; column <= right; column++) {
            const raim_vec2 corner = {origin.x + column * CELL, origin.y + row * CELL};
            const raim_box cell = {corner, {corner.x + CELL, corner.y + CELL}};
            if (touches(obstacle, raim_box_grow(cell, margin)))
                field->cells[row * field->columns + column] = 0;
        }
    }
}

// Returns the distance of a cell by way of a neighbour. Outside the raster there are no obstacles.
static int distance_via(const struct raim_map_distance_field *field, int row, int column)
{
    if (row < 0 || row >= field->rows || column < 0 || column >= field->columns)
        return FAR;
    return field->cells[row * field->columns + column] + 1;
}

// One of the two passes of a distance transform (Rosenfeld and Pfaltz, Sequential Operations in
// Digital Picture Processing, 1966), over the neighbours that the pass has visited already. The
// result is exact for the Chebyshev metric, in which a diagonal step is as long as a straight one.
static void sweep_distances(struct raim_map_distance_field *field, int direction)
{
    const int cells = field->columns * field->rows;
    for (int i = 0; i < cells; i++) {
        const int index = direction > 0 ? i : cells - 1 - i;
        const int row = index / field->columns, column = index % field->columns;
        int least = field->cells[index];
        for (int aside = -1; aside <= 1; aside++) {
            const int way = distance_via(field, row - direction, column + aside);
            least = way < least ? way : least;
        }
        const int way = distance_via(field, row, column - direction);
        field->cells[index] = (uint8_t)(way < least ? way : least);
    }
}

bool raim_distance_field_create(struct raim_map *map)
{
    const raim_vec2 size = raim_vec2_sub(map->border.max, map->border.min);
    struct raim_map_distance_field *field = &map->distance_field;
    field->columns = (int)ceil(size.x / CELL);
    field->rows = (int)ceil(size.y / CELL);
    const size_t cells = (size_t)field->columns * (size_t)field->rows;
    field->cells = malloc(cells);
    if (field->cells == NULL)
        return false;
    memset(field->cells, FAR, cells);
    for (int i = 0; i < map->obstacle_count; i++)
        mark_obstacle(map, &map->obstacles[i]);
    sweep_distances(field, 1);
    sweep_distances(field, -1);
    return true;
}

void raim_distance_field_destroy(struct raim_map *map)
{
    free(map->distance_field.cells);
    map->distance_field = (struct raim_map_distance_field){0};
}

// A line in cell units, and the current cell.
struct march {
    double x, y;           // start
    double dx, dy;         // displacement
    double per_dx, per_dy; // 1 / dx, 1 / dy
    int column, row;
};

// Returns the fraction of the line at which it leaves the free square around a cell along one axis.
static inline double exit_fraction(double start, double per, int cell, int room)
{
    return ((per > 0 ? cell + room : cell + 1 - room) - start) * per;
}

// Returns the cell along one axis at a fraction of the line. It never steps back, because rounding
// at a corner could otherwise cause an endless loop.
static inline int advance(double start, double change, double at, double per, int cell, int count)
{
    const int there = clamp(start + change * at, count);
    const bool is_back = per > 0 ? there < cell : there > cell;
    return is_back ? cell : there;
}

bool raim_distance_field_sees(const struct raim_map *map, raim_vec2 from, raim_vec2 to)
{
    const struct raim_map_distance_field *field = &map->distance_field;
    const raim_vec2 origin = map->border.min;
    if (field->cells == NULL)
        return false;
    struct march march = {
        .x = (from.x - origin.x) / CELL,
        .y = (from.y - origin.y) / CELL,
        .dx = (to.x - from.x) / CELL,
        .dy = (to.y - from.y) / CELL,
    };
    // A line parallel to an axis never leaves a square across that axis.
    march.per_dx = fabs(march.dx) > 1e-9 ? 1 / march.dx : INFINITY;
    march.per_dy = fabs(march.dy) > 1e-9 ? 1 / march.dy : INFINITY;
    march.column = clamp(march.x, field->columns);
    march.row = clamp(march.y, field->rows);
    for (;;) {
        const int room = field->cells[march.row * field->columns + march.column];
        if (room == 0)
            return false;
        const double at_x = exit_fraction(march.x, march.per_dx, march.column, room);
        const double at_y = exit_fraction(march.y, march.per_dy, march.row, room);
        const double at = at_x < at_y ? at_x : at_y;
        if (at >= 1)
            return true;
        // The step along the exit axis is exact, so that every step makes progress.
        if (at_x < at_y) {
            march.column += march.per_dx > 0 ? room : -room;
            march.row = advance(march.y, march.dy, at, march.per_dy, march.row, field->rows);
        } else {
            march.row += march.per_dy > 0 ? room : -room;
            march.column =
                advance(march.x, march.dx, at, march.per_dx, march.column, field->columns);
        }
        if (march.column < 0 || march.column >= field->columns || march.row < 0 ||
            march.row >= field->rows)
            return true; // there are no obstacles outside the raster
    }
}
