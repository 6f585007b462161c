// SPDX-License-Identifier: MIT
// Walks the rows of the grid and, in each, the columns that the polygon touches.
#include "map_near.h"

#include <assert.h>
#include <string.h>

// Polygons are grown by this, in units, to make up for rounding and touching.
static const double margin = 1e-6;

// A side that rises by no more than this, in units, is in a row with both of its ends.
static const double level = 1e-9;

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

// The columns that the polygon touches in a row of its span.
static struct raim_map_run run_of_row(const struct raim_map_near *near, int row)
{
    const struct raim_map_grid *grid = &near->map->grid;
    const struct raim_map_span *span = &near->span;
    if (span->first_row == span->last_row)
        return raim_map_run_of(grid, row, span->first_column, span->last_column);
    const double low = grid->origin.y + row * near->cell - margin;
    const double high = low + near->cell + 2 * margin;
    double left = near->box.max.x, right = near->box.min.x;
    for (int i = 0; i < near->count; i++) {
        const raim_vec2 a = near->corners[i], b = near->corners[i + 1 < near->count ? i + 1 : 0];
        const double at_a = a.x + (clamp(a.y, low, high) - a.y) * near->slopes[i];
        const double at_b = b.x + (clamp(b.y, low, high) - b.y) * near->slopes[i];
        const bool touches = !((a.y < low) & (b.y < low)) & !((a.y > high) & (b.y > high));
        const double least = at_a < at_b ? at_a : at_b, most = at_a < at_b ? at_b : at_a;
        left = (touches & (least < left)) ? least : left;
        right = (touches & (most > right)) ? most : right;
    }
    return raim_map_run_of(grid, row, raim_map_column_of(grid, left - margin),
                           raim_map_column_of(grid, right + margin));
}

void raim_map_near_begin(struct raim_map_near *near, const struct raim_map *map,
                         const raim_vec2 *corners, int count)
{
    assert(count <= RAIM_MAP_NEAR_CORNERS);
    near->map = map;
    near->count = count;
    near->cell = 1 / map->grid.cells_per_unit;
    near->box = (raim_box){corners[0], corners[0]};
    for (int i = 0; i < near->count; i++) {
        const raim_vec2 side = raim_vec2_sub(corners[i + 1 < near->count ? i + 1 : 0], corners[i]);
        near->corners[i] = corners[i];
        near->slopes[i] = fabs(side.y) > level ? side.x / side.y : 0;
        near->box = raim_box_include(near->box, corners[i]);
    }
    near->box = raim_box_grow(near->box, margin);
    near->span = raim_map_span_of(&map->grid, near->box);
    near->row = near->span.first_row;
    near->run = run_of_row(near, near->row);
    memset(near->met, 0, (size_t)(map->obstacle_count + 63) / 64 * sizeof near->met[0]);
}

const raim_polygon *raim_map_near_next(struct raim_map_near *near)
{
    for (;;) {
        while (near->run.first < near->run.end) {
            const int index = *near->run.first++;
            uint64_t *word = &near->met[index / 64];
            const uint64_t bit = (uint64_t)1 << index % 64;
            const raim_polygon *obstacle = &near->map->obstacles[index];
            if ((*word & bit) != 0 || !raim_box_overlaps(obstacle->bounds, near->box))
                continue;
            *word |= bit;
            return obstacle;
        }
        if (near->row == near->span.last_row)
            return NULL;
        near->row++;
        near->run = run_of_row(near, near->row);
    }
}
