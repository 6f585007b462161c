// SPDX-License-Identifier: MIT
// Draws a map as an SVG image for its author (`raimmap draw`).
#pragma once

struct raim_map;
struct text_buffer;

// Writes a map as an SVG image in map units, with y pointing up: border, obstacle outlines with
// their convex pieces, numbered spawns, a grid, and a player's view for scale.
void map_draw(const struct raim_map *map, struct text_buffer *out);
