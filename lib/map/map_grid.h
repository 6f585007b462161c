// SPDX-License-Identifier: MIT
// The uniform grid of a map: the broad phase for obstacles. An obstacle is entered in every cell
// that its bounds touch. All lookups round alike, so shapes that overlap always share a cell.
// Thread rule: the functions are pure; any threads may share the grid.
//
// Nanoseconds per query (a player's circle / a bullet's tick / 800 units of sight) on the shipped
// maps and two random ones, medians of `./dev bench geometry`, led to the choice of a grid:
//
//     pieces    grid             quadtree          brute force
//         21    40 /  42 / 194    55 /  79 / 212     38 /   44 /  155
//        104    49 /  47 / 267    84 / 110 / 360    119 /  133 /  375
//        351    51 /  47 / 301   102 / 135 / 448    334 /  396 /  739
//       1000    34 /  36 / 198   110 / 145 / 325   1109 / 1164 / 1392
//       4000    58 /  49 / 250   163 / 202 / 408   4284 / 4658 / 5152
//
// A circle touches one or two cells, found by arithmetic; a tree descends to them through
// unpredictable branches. Four cells per obstacle is a flat optimum.
#pragma once

#include "map.h"

// The range of cells that a box touches; both ends are included.
struct raim_map_span {
    int first_column, last_column;
    int first_row, last_row;
};

// The entries of adjacent cells in a row, which are contiguous. An obstacle may occur once per
// cell.
struct raim_map_run {
    const int *first, *end;
};

// Returns the index of a cell along one axis. Coordinates outside the grid map to the outermost
// cells.
static inline int raim_map_cell_of(double cells, int count)
{
    if (!(cells > 0))
        return 0;
    return cells < count ? (int)cells : count - 1;
}

static inline int raim_map_column_of(const struct raim_map_grid *grid, double x)
{
    return raim_map_cell_of((x - grid->origin.x) * grid->cells_per_unit, grid->columns);
}

static inline int raim_map_row_of(const struct raim_map_grid *grid, double y)
{
    return raim_map_cell_of((y - grid->origin.y) * grid->cells_per_unit, grid->rows);
}

static inline struct raim_map_span raim_map_span_of(const struct raim_map_grid *grid, raim_box box)
{
    return (struct raim_map_span){
        raim_map_column_of(grid, box.min.x), raim_map_column_of(grid, box.max.x),
        raim_map_row_of(grid, box.min.y), raim_map_row_of(grid, box.max.y)};
}

static inline struct raim_map_run raim_map_run_of(const struct raim_map_grid *grid, int row,
                                                  int first_column, int last_column)
{
    const int *starts = &grid->starts[row * grid->columns];
    return (struct raim_map_run){grid->entries + starts[first_column],
                                 grid->entries + starts[last_column + 1]};
}
