// SPDX-License-Identifier: MIT
// A quadtree over a map's obstacles: the other obvious broad phase, to measure the grid against.
// Leaves of equal depth are equal in size; an obstacle is entered in every leaf that its bounds
// touch.
#pragma once

#include "map.h"

struct quadtree;

// Borrows the map. NULL where memory is short.
struct quadtree *quadtree_create(const struct raim_map *map);
void quadtree_destroy(struct quadtree *tree);

// What raim_map_is_free, raim_map_sweep and raim_map_sees answer.
bool quadtree_is_free(const struct quadtree *tree, raim_vec2 centre, double radius);
double quadtree_sweep(const struct quadtree *tree, raim_vec2 start, raim_vec2 displacement,
                      double radius);
bool quadtree_sees(const struct quadtree *tree, raim_vec2 from, raim_vec2 to);
