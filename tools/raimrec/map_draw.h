// SPDX-License-Identifier: MIT
// Draws a map as an SVG image for its author (`raimrec draw`).
#pragma once

#include "map.h"

#include <stdio.h>

// Writes a map as an SVG image in map units, with y pointing up: border, obstacle outlines with
// their convex pieces, numbered spawns, a grid, and a player's view for scale. Returns false when
// writing fails.
bool map_draw(const struct raim_map *map, FILE *out);
