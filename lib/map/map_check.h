// SPDX-License-Identifier: MIT
// Checks of a whole map: finds overlapping obstacles and spawns that cannot reach each other. A map
// file with the former is loaded with a warning, one with the latter is rejected. Run the checks at
// load time, because their cost grows with the square of the number of obstacles.
// Units: radii are in units.
// Thread rule: the functions keep no state; any threads may share the map.
#pragma once

#include "map.h"

// Returns the first outline after outline `after`, which is -1 or more, that overlaps outline
// `index`, or -1. Outlines that share an edge only touch.
int raim_map_next_overlap(const struct raim_map *map, int index, int after);

// Finds the spawns that a circle can walk between: group[i] becomes the lowest spawn that can be
// reached from spawn i. The result is exact: a circle passes a gap that is as wide as itself. The
// group of a spawn that is not free for the circle is meaningless. Returns false when memory runs
// out.
//
// The algorithm is a cycle basis of the obstacle graph with a parity test. Two obstacles are linked
// when the gap between them is too narrow. Walls separate spawns when they close a ring with some
// spawns inside and some outside. The obstacles grown by the radius are convex, so all rings are
// sums of cycles of that graph (the nerve theorem, Borsuk, On the Imbedding of Systems of Compacta
// in Simplicial Complexes, 1948). A spanning forest gives a basis of the cycles: each edge outside
// it closes one ring. A spawn is inside a ring when a ray from it crosses the ring an odd number of
// times.
bool raim_map_group_spawns(const struct raim_map *map, double radius, int group[RAIM_MAX_SPAWNS]);
