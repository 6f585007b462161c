// SPDX-License-Identifier: MIT
// Simple polygons, convex or not, and their decomposition into few convex pieces: ears are cut off
// (Meisters, Polygons Have Ears, 1975) and diagonals that no reflex corner needs are removed again
// (Hertel and Mehlhorn, Fast Triangulation of Simple Polygons, 1983), which leaves at most four
// times the fewest pieces possible.
#pragma once

#include "polygon.h"

#define RAIM_MAX_OUTLINE_POINTS 64
#define RAIM_MAX_PIECES (RAIM_MAX_OUTLINE_POINTS - 2)

enum raim_outline_error {
    RAIM_OUTLINE_OK,
    RAIM_OUTLINE_TOO_FEW_POINTS,
    RAIM_OUTLINE_TOO_MANY_POINTS,
    RAIM_OUTLINE_NOT_FINITE,
    RAIM_OUTLINE_SHORT_EDGE,
    RAIM_OUTLINE_COLLINEAR, // a corner on the line of its neighbours
    RAIM_OUTLINE_CROSSING,  // two edges cross or touch: see first_edge and second_edge
    RAIM_OUTLINE_SMALL_AREA,
};

struct raim_outline_problem {
    enum raim_outline_error error;
    // Edge i runs from point i to the next one, as the caller numbered them; first < second.
    int first_edge, second_edge;
};

// Cuts an outline in either winding into convex pieces, at most RAIM_MAX_PIECES, each of at most
// RAIM_MAX_POLYGON_POINTS corners, all of them corners of the outline; `seams` of a piece marks its
// edges that are inside of the outline. Both windings give the same set of pieces. Allocates
// nothing.
struct raim_outline_problem raim_outline_cut(const raim_vec2 *points, int count,
                                             raim_polygon *pieces, int *piece_count);

// What is wrong, as words that complete "the outline ...".
const char *raim_outline_error_text(enum raim_outline_error error);
