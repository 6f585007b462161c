// SPDX-License-Identifier: MIT
// Loads the distance field, the index and the first corners of all obstacles.
#include "map_preload.h"

#include "preload.h"

// The corners that are loaded. An obstacle with more of them is rarer, and a query loads the rest.
enum { PIECE_CORNERS = 4, OUTLINE_CORNERS = 7 };

// The cache lines that these corners take.
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
