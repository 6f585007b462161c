// SPDX-License-Identifier: MIT
// Where things lie in a map's grid. An obstacle is entered in every cell that its bounds touch; all
// lookups round alike, so what overlaps always shares a cell.
//
// Why a grid: nanoseconds a question (a player's circle / a bullet's tick / 800 units of sight) on
// the shipped maps and two random ones, medians of `./dev bench geometry`:
//
//     pieces    grid             quadtree          brute force
//         21    40 /  42 / 194    55 /  79 / 212     38 /   44 /  155
//        104    49 /  47 / 267    84 / 110 / 360    119 /  133 /  375
//        351    51 /  47 / 301   102 / 135 / 448    334 /  396 /  739
//       1000    34 /  36 / 198   110 / 145 / 325   1109 / 1164 / 1392
//       4000    58 /  49 / 250   163 / 202 / 408   4284 / 4658 / 5152
//
// A circle reaches one or two cells, found by arithmetic; a tree walks down to them through
// branches that nobody can foresee. Four cells an obstacle is a flat optimum.
#pragma once

#include "map.h"

// The cells, both ends included, that a box touches.
struct raim_map_span {
    int first_column, last_column;
    int first_row, last_row;
};

// Neighbouring cells of a row: their entries lie in one piece. An obstacle may occur in it once for
// each cell.
struct raim_map_run {
    const int *first, *end;
};

// A cell's number along one axis; what lies outside the grid counts to its outermost cells.
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
