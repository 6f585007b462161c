// SPDX-License-Identifier: MIT
// Draws a map for its author to look at.
#pragma once

#include "map.h"

#include <stdio.h>

// Writes a map as an SVG image whose units are the map's, y up as in the map: border, outlines with
// the convex pieces that they were cut into, spawns with their numbers, and for scale a grid and
// the part of the arena that a player sees. Returns false when writing fails.
bool map_draw(const struct raim_map *map, FILE *out);
