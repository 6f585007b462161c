// SPDX-License-Identifier: MIT
// Judges a map as a whole: what a loader tells its author and no single obstacle can know. For
// load time: the cost grows with the square of the obstacles.
#pragma once

#include "map.h"

// The first outline after outline `after` that overlaps outline `index`, or -1. Those that share an
// edge only touch.
int raim_map_next_overlap(const struct raim_map *map, int index, int after);

// Tells between which spawns a circle can walk: group[i] is the lowest spawn that can be reached
// from spawn i. Exact: a gap is passed when it is as wide as the circle. Where a spawn is not free
// for such a circle its group means nothing. Returns false when memory runs out.
//
// Walls divide the spawns where they close a ring that has some of them inside and some outside.
// Obstacles grown by the radius are convex, so all rings are sums of those in the graph of
// obstacles too near each other to pass between (the nerve theorem, Borsuk, On the Imbedding of
// Systems of Compacta in Simplicial Complexes, 1948), whose basis a spanning tree gives: each edge
// beside it closes one ring, and whether a spawn is inside is the parity of the crossings with a
// ray.
bool raim_map_group_spawns(const struct raim_map *map, double radius, int group[RAIM_MAX_SPAWNS]);
