// SPDX-License-Identifier: MIT
// Makes the raster, and walks lines through it.
#include "distance_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 16, FAR = 255 }; // units; cells

// Cells this close to an obstacle, in units, count as touched, to make up for rounding.
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

static void mark(struct raim_distance_field *clearing, const raim_polygon *obstacle)
{
    const raim_box box = {raim_vec2_sub(obstacle->bounds.min, clearing->origin),
                          raim_vec2_sub(obstacle->bounds.max, clearing->origin)};
    const int left = clamp((box.min.x - margin) / CELL, clearing->columns);
    const int right = clamp((box.max.x + margin) / CELL, clearing->columns);
    const int bottom = clamp((box.min.y - margin) / CELL, clearing->rows);
    const int top = clamp((box.max.y + margin) / CELL, clearing->rows);
    for (int row = bottom; row <= top; row++) {
        for (int column = left; column <= right; column++) {
            const raim_vec2 corner = {clearing->origin.x + column * CELL,
                                      clearing->origin.y + row * CELL};
            const raim_box cell = {corner, {corner.x + CELL, corner.y + CELL}};
            if (touches(obstacle, raim_box_grow(cell, margin)))
                clearing->cells[row * clearing->columns + column] = 0;
        }
    }
}

// The distance at a cell by way of a neighbour that is known; none beyond the raster, where there
// is nothing.
static int by_way_of(const struct raim_distance_field *clearing, int row, int column)
{
    if (row < 0 || row >= clearing->rows || column < 0 || column >= clearing->columns)
        return FAR;
    return clearing->cells[row * clearing->columns + column] + 1;
}

// Two passes, each over the neighbours that it has been at: Rosenfeld and Pfaltz, Sequential
// Operations in Digital Picture Processing, 1966. Exact where diagonals are as long as sides.
static void spread(struct raim_distance_field *clearing, int direction)
{
    const int cells = clearing->columns * clearing->rows;
    for (int i = 0; i < cells; i++) {
        const int index = direction > 0 ? i : cells - 1 - i;
        const int row = index / clearing->columns, column = index % clearing->columns;
        int least = clearing->cells[index];
        for (int aside = -1; aside <= 1; aside++) {
            const int way = by_way_of(clearing, row - direction, column + aside);
            least = way < least ? way : least;
        }
        const int way = by_way_of(clearing, row, column - direction);
        clearing->cells[index] = (uint8_t)(way < least ? way : least);
    }
}

bool raim_distance_field_create(struct raim_distance_field *clearing, const struct raim_map *map)
{
    const raim_vec2 size = raim_vec2_sub(map->border.max, map->border.min);
    *clearing = (struct raim_distance_field){
        .origin = map->border.min,
        .columns = (int)ceil(size.x / CELL),
        .rows = (int)ceil(size.y / CELL),
    };
    const size_t cells = (size_t)clearing->columns * (size_t)clearing->rows;
    clearing->cells = malloc(cells);
    if (clearing->cells == NULL)
        return false;
    memset(clearing->cells, FAR, cells);
    for (int i = 0; i < map->obstacle_count; i++)
        mark(clearing, &map->obstacles[i]);
    spread(clearing, 1);
    spread(clearing, -1);
    return true;
}

void raim_distance_field_destroy(struct raim_distance_field *clearing)
{
    free(clearing->cells);
    *clearing = (struct raim_distance_field){0};
}

// The line in cells, and the cell that it is in.
struct walk {
    double x, y;           // where it begins
    double dx, dy;         // to its end
    double per_dx, per_dy; // 1 over these
    int column, row;
};

// How much of the line it takes to leave the open square around a cell along one axis.
static inline double leave(double start, double per, int cell, int room)
{
    return ((per > 0 ? cell + room : cell + 1 - room) - start) * per;
}

// The cell along one axis at a place of the line. Never back: at a corner, rounding could walk in
// circles.
static inline int advance(double start, double change, double at, double per, int cell, int count)
{
    const int there = clamp(start + change * at, count);
    const bool is_back = per > 0 ? there < cell : there > cell;
    return is_back ? cell : there;
}

bool raim_distance_field_sees(const struct raim_distance_field *clearing, raim_vec2 from,
                              raim_vec2 to)
{
    struct walk walk = {
        .x = (from.x - clearing->origin.x) / CELL,
        .y = (from.y - clearing->origin.y) / CELL,
        .dx = (to.x - from.x) / CELL,
        .dy = (to.y - from.y) / CELL,
    };
    // A line along an axis leaves no square across it.
    walk.per_dx = fabs(walk.dx) > 1e-9 ? 1 / walk.dx : INFINITY;
    walk.per_dy = fabs(walk.dy) > 1e-9 ? 1 / walk.dy : INFINITY;
    walk.column = clamp(walk.x, clearing->columns);
    walk.row = clamp(walk.y, clearing->rows);
    for (;;) {
        const int room = clearing->cells[walk.row * clearing->columns + walk.column];
        if (room == 0)
            return false;
        const double at_x = leave(walk.x, walk.per_dx, walk.column, room);
        const double at_y = leave(walk.y, walk.per_dy, walk.row, room);
        const double at = at_x < at_y ? at_x : at_y;
        if (at >= 1)
            return true;
        // Exactly into the next cell on the axis that it leaves by, so that every step goes on.
        if (at_x < at_y) {
            walk.column += walk.per_dx > 0 ? room : -room;
            walk.row = advance(walk.y, walk.dy, at, walk.per_dy, walk.row, clearing->rows);
        } else {
            walk.row += walk.per_dy > 0 ? room : -room;
            walk.column = advance(walk.x, walk.dx, at, walk.per_dx, walk.column, clearing->columns);
        }
        if (walk.column < 0 || walk.column >= clearing->columns || walk.row < 0 ||
            walk.row >= clearing->rows)
            return true; // there is nothing out there
    }
}
