// SPDX-License-Identifier: MIT
// Computes clearances from the separations of obstacles and cells.
#include "map_clearance.h"

#include <stdlib.h>

// The side of a cell of all but large maps, in units. Halving it answers few more queries, because
// the obstacles' neighbourhood is wider.
static const double least_side = 16;

// The largest clearance, in units. At the default rules a bullet asks for 12 and a player for 28.
enum { FARTHEST = 63 };

// The limit of the work: many large obstacles get larger cells.
enum { VISITS_PER_OBSTACLE = 1024 };

// The tolerance for rounding, in units. It is far above RAIM_MAP_SLOP and the margins of sweeps.
static const double margin = 1e-3;

static struct raim_map_span span_around(const struct raim_map *map, raim_box bounds, double reach)
{
    const struct raim_map_clearance *clearance = &map->clearance;
    const raim_box box = raim_box_grow(bounds, reach);
    const double per_unit = clearance->cells_per_unit;
    return (struct raim_map_span){
        raim_map_cell_of((box.min.x - map->border.min.x) * per_unit, clearance->columns),
        raim_map_cell_of((box.max.x - map->border.min.x) * per_unit, clearance->columns),
        raim_map_cell_of((box.min.y - map->border.min.y) * per_unit, clearance->rows),
        raim_map_cell_of((box.max.y - map->border.min.y) * per_unit, clearance->rows)};
}

// Returns the distance from an obstacle within which it may lower the clearance of a cell, measured
// from the cell's centre.
static double reach_of(double side)
{
    return FARTHEST + side;
}

static long count_visits(const struct raim_map *map, double side)
{
    long visits = 0;
    for (int i = 0; i < map->obstacle_count; i++) {
        const struct raim_map_span span =
            span_around(map, map->obstacles[i].bounds, reach_of(side));
        visits +=
            (long)(span.last_column - span.first_column + 1) * (span.last_row - span.first_row + 1);
    }
    return visits;
}

// Chooses the size of the cells. Returns their side.
static double shape(struct raim_map *map)
{
    struct raim_map_clearance *clearance = &map->clearance;
    const raim_vec2 size = raim_vec2_sub(map->border.max, map->border.min);
    const long most = (long)VISITS_PER_OBSTACLE * map->obstacle_count;
    for (double side = least_side;; side *= 2) {
        clearance->cells_per_unit = 1 / side;
        clearance->columns = (int)(size.x / side) + 1;
        clearance->rows = (int)(size.y / side) + 1;
        if (clearance->columns * clearance->rows <= RAIM_MAP_CLEARANCE_CELLS &&
            count_visits(map, side) <= most)
            return side;
    }
}

// Returns a lower bound of the distance of a point from an obstacle: the largest separation from
// its faces.
static double separation_from(const raim_polygon *obstacle, raim_vec2 point)
{
    double largest = raim_polygon_separation(obstacle, 0, point);
    for (int i = 1; i < obstacle->count; i++) {
        const double separation = raim_polygon_separation(obstacle, i, point);
        largest = separation > largest ? separation : largest;
    }
    return largest;
}

static uint8_t whole_units(double distance)
{
    const double least = distance - margin;
    if (least <= 0)
        return 0;
    return least < FARTHEST ? (uint8_t)least : FARTHEST;
}

// Returns the centre of a cell.
static raim_vec2 centre_of(const struct raim_map *map, int row, int column, double side)
{
    return (raim_vec2){map->border.min.x + (column + 0.5) * side,
                       map->border.min.y + (row + 0.5) * side};
}

static void measure_border(struct raim_map *map, double side)
{
    struct raim_map_clearance *clearance = &map->clearance;
    for (int row = 0; row < clearance->rows; row++) {
        for (int column = 0; column < clearance->columns; column++) {
            const raim_vec2 centre = centre_of(map, row, column, side);
            const double gap_x =
                fmin(centre.x - map->border.min.x, map->border.max.x - centre.x) - side / 2;
            const double gap_y =
                fmin(centre.y - map->border.min.y, map->border.max.y - centre.y) - side / 2;
            clearance->cells[row * clearance->columns + column] = whole_units(fmin(gap_x, gap_y));
        }
    }
}

static void measure_obstacle(struct raim_map *map, const raim_polygon *obstacle, double side)
{
    struct raim_map_clearance *clearance = &map->clearance;
    const double to_corner = side * 0.70710679; // of a cell from its centre; rounded up
    const struct raim_map_span span = span_around(map, obstacle->bounds, reach_of(side));
    for (int row = span.first_row; row <= span.last_row; row++) {
        for (int column = span.first_column; column <= span.last_column; column++) {
            uint8_t *cell = &clearance->cells[row * clearance->columns + column];
            const raim_vec2 centre = centre_of(map, row, column, side);
            const uint8_t units = whole_units(separation_from(obstacle, centre) - to_corner);
            *cell = units < *cell ? units : *cell;
        }
    }
}

bool raim_map_clearance_create(struct raim_map *map)
{
    const double side = shape(map);
    map->clearance.cells = malloc((size_t)map->clearance.columns * (size_t)map->clearance.rows);
    if (map->clearance.cells == NULL)
        return false;
    measure_border(map, side);
    for (int i = 0; i < map->obstacle_count; i++)
        measure_obstacle(map, &map->obstacles[i], side);
    return true;
}

void raim_map_clearance_destroy(struct raim_map *map)
{
    free(map->clearance.cells);
    map->clearance.cells = NULL;
}
