// SPDX-License-Identifier: MIT
// The broad phase for players: a uniform grid with a list of living players in each cell, and a
// mark in each cell that a player is near. The number of cells follows the number of players.
// Units: coordinates are in units.
// Thread rule: a grid belongs to one thread at a time.
#pragma once

#include "world.h"

#define RAIM_PLAYER_GRID_CELLS 32768
#define RAIM_PLAYER_GRID_END UINT16_MAX // ends the list of a cell

struct raim_player_grid {
    raim_vec2 origin;
    double side, cells_per_unit; // of a cell
    int columns, rows;
    uint16_t heads[RAIM_PLAYER_GRID_CELLS]; // the first slot of each cell, by row, then column
    uint16_t next[RAIM_MAX_PLAYERS];        // the next slot in the same cell, by slot
    uint8_t marks[RAIM_PLAYER_GRID_CELLS];  // 1: near a player
};

// Empties the grid and shapes it for `count` players within a border. No cell is narrower than
// `least_side`.
void raim_player_grid_clear(struct raim_player_grid *grid, raim_box border, uint32_t count,
                            double least_side);

// Adds a player who is not in the grid, or removes one at the position it was added at.
void raim_player_grid_add(struct raim_player_grid *grid, uint32_t slot, raim_vec2 position);
void raim_player_grid_remove(struct raim_player_grid *grid, uint32_t slot, raim_vec2 position);

// Marks the cells that touch the square around a position, from whose centre each side is
// `distance` away.
void raim_player_grid_mark(struct raim_player_grid *grid, raim_vec2 position, double distance);

// Returns the squared distance from a point to the nearest player of the grid, or `limit` when none
// is nearer. When the distance is below `enough`, the result may be larger than it, but stays below
// `enough`. `players` are by slot and stand where they were added.
double raim_player_grid_nearest_squared(const struct raim_player_grid *grid,
                                        const raim_player *players, raim_vec2 point, double enough,
                                        double limit);

// The range of cells that a box touches; both ends are included.
struct raim_player_grid_span {
    int first_column, last_column;
    int first_row, last_row;
};

// Returns the index of a cell along one axis. Coordinates outside the grid map to the outermost
// cells.
static inline int raim_player_grid_cell_of(double cells, int count)
{
    const int last = count - 1;
    const int cell = (int)(cells < last ? cells : last);
    return cell > 0 ? cell : 0;
}

static inline struct raim_player_grid_span
raim_player_grid_span_of(const struct raim_player_grid *grid, raim_box box)
{
    const double scale = grid->cells_per_unit;
    return (struct raim_player_grid_span){
        raim_player_grid_cell_of((box.min.x - grid->origin.x) * scale, grid->columns),
        raim_player_grid_cell_of((box.max.x - grid->origin.x) * scale, grid->columns),
        raim_player_grid_cell_of((box.min.y - grid->origin.y) * scale, grid->rows),
        raim_player_grid_cell_of((box.max.y - grid->origin.y) * scale, grid->rows)};
}

// Returns true when the cell of a point is marked.
static inline bool raim_player_grid_is_marked(const struct raim_player_grid *grid, raim_vec2 point)
{
    const double scale = grid->cells_per_unit;
    const int column = raim_player_grid_cell_of((point.x - grid->origin.x) * scale, grid->columns);
    const int row = raim_player_grid_cell_of((point.y - grid->origin.y) * scale, grid->rows);
    return grid->marks[row * grid->columns + column] != 0;
}
