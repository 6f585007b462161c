// SPDX-License-Identifier: MIT
// A quadtree over the obstacles of a map: an alternative broad phase for comparison with the grid.
// Leaves of equal depth have equal sizes. An obstacle is entered in every leaf that its bounds
// touch.
#pragma once

#include "map.h"

struct quadtree;

// Creates a tree, which borrows the map. Returns NULL when memory runs out.
struct quadtree *quadtree_create(const struct raim_map *map);
void quadtree_destroy(struct quadtree *tree);

// These return the results of raim_map_is_free, raim_map_sweep and raim_map_sees.
bool quadtree_is_free(const struct quadtree *tree, raim_vec2 centre, double radius);
double quadtree_sweep(const struct quadtree *tree, raim_vec2 start, raim_vec2 displacement,
                      double radius);
bool quadtree_sees(const struct quadtree *tree, raim_vec2 from, raim_vec2 to);
