// SPDX-License-Identifier: MIT
// Links players into the lists of their cells and searches the cells around a point.
#include "player_grid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    CELLS_PER_PLAYER = 64, // so that few cells are marked
    MIN_CELLS = 64,
    MAX_CELLS = 25000, // approximately; rounding up the columns and rows adds some
};

void raim_player_grid_clear(struct raim_player_grid *grid, raim_box border, uint32_t count,
                            double least_side)
{
    const raim_vec2 size = raim_vec2_sub(border.max, border.min);
    const uint32_t wanted = count * CELLS_PER_PLAYER;
    const uint32_t least = wanted > MIN_CELLS ? wanted : MIN_CELLS;
    const double side = sqrt(size.x * size.y / (least < MAX_CELLS ? least : MAX_CELLS));
    grid->origin = border.min;
    grid->side = side > least_side ? side : least_side;
    grid->cells_per_unit = 1 / grid->side;
    grid->columns = (int)(size.x * grid->cells_per_unit) + 1;
    grid->rows = (int)(size.y * grid->cells_per_unit) + 1;
    const size_t cells = (size_t)grid->columns * (size_t)grid->rows;
    assert(cells <= RAIM_PLAYER_GRID_CELLS);
    memset(grid->heads, 0xff, cells * sizeof grid->heads[0]);
    memset(grid->marks, 0, cells * sizeof grid->marks[0]);
}

static int column_of(const struct raim_player_grid *grid, double x)
{
    return raim_player_grid_cell_of((x - grid->origin.x) * grid->cells_per_unit, grid->columns);
}

static int row_of(const struct raim_player_grid *grid, double y)
{
    return raim_player_grid_cell_of((y - grid->origin.y) * grid->cells_per_unit, grid->rows);
}

void raim_player_grid_add(struct raim_player_grid *grid, uint32_t slot, raim_vec2 position)
{
    uint16_t *head =
        &grid->heads[row_of(grid, position.y) * grid->columns + column_of(grid, position.x)];
    grid->next[slot] = *head;
    *head = (uint16_t)slot;
}

void raim_player_grid_remove(struct raim_player_grid *grid, uint32_t slot, raim_vec2 position)
{
    uint16_t *link =
        &grid->heads[row_of(grid, position.y) * grid->columns + column_of(grid, position.x)];
    while (*link != slot) {
        assert(*link != RAIM_PLAYER_GRID_END);
        link = &grid->next[*link];
    }
    *link = grid->next[slot];
}

void raim_player_grid_mark(struct raim_player_grid *grid, raim_vec2 position, double distance)
{
    const raim_box square = raim_box_grow((raim_box){position, position}, distance);
    const struct raim_player_grid_span span = raim_player_grid_span_of(grid, square);
    for (int row = span.first_row; row <= span.last_row; row++)
        for (int column = span.first_column; column <= span.last_column; column++)
            grid->marks[row * grid->columns + column] |= 1;
}

// A search for the nearest player.
struct search {
    const struct raim_player_grid *grid;
    const raim_player *players;
    raim_vec2 point;
    double nearest; // squared distance
};

// Searches the cells of a row from column `first` to `last`.
static void search_row(struct search *search, int row, int first, int last)
{
    const struct raim_player_grid *grid = search->grid;
    first = first > 0 ? first : 0;
    last = last < grid->columns ? last : grid->columns - 1;
    for (int column = first; column <= last; column++) {
        for (uint32_t slot = grid->heads[row * grid->columns + column];
             slot != RAIM_PLAYER_GRID_END; slot = grid->next[slot]) {
            const double distance =
                raim_vec2_distance_squared(search->players[slot].position, search->point);
            search->nearest = distance < search->nearest ? distance : search->nearest;
        }
    }
}

// Searches the square of cells that is `ring` cells away from a cell.
static void search_ring(struct search *search, int row, int column, int ring)
{
    const int first = row - ring > 0 ? row - ring : 0;
    const int last = row + ring < search->grid->rows ? row + ring : search->grid->rows - 1;
    for (int r = first; r <= last; r++) {
        if (r == row - ring || r == row + ring) {
            search_row(search, r, column - ring, column + ring);
        } else {
            search_row(search, r, column - ring, column - ring);
            search_row(search, r, column + ring, column + ring);
        }
    }
}

double raim_player_grid_nearest_squared(const struct raim_player_grid *grid,
                                        const raim_player *players, raim_vec2 point, double enough,
                                        double limit)
{
    const int column = column_of(grid, point.x), row = row_of(grid, point.y);
    const int rings = grid->columns > grid->rows ? grid->columns : grid->rows;
    struct search search = {grid, players, point, limit};
    for (int ring = 0; ring < rings && search.nearest >= enough; ring++) {
        // Players outside the rings that have been searched are at least this far away.
        const double searched = (ring - 1) * grid->side * (1 - 1e-9);
        if (ring > 0 && search.nearest <= searched * searched)
            break;
        search_ring(&search, row, column, ring);
    }
    return search.nearest;
}
