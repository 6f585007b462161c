// SPDX-License-Identifier: MIT
// Convex decomposition of simple polygons. The triangulation with the least total thinness is found
// by dynamic programming (Klincsek, Minimal Triangulations of Polygonal Domains, 1980). All
// diagonals that no reflex corner needs are then removed (Hertel and Mehlhorn, Fast Triangulation
// of Simple Polygons, 1983), which leaves at most four times the minimal number of pieces.
// Units: coordinates and lengths are in units.
// Thread rule: the functions keep no state; any thread may call them.
#pragma once

#include "polygon.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RAIM_MAX_OUTLINE_POINTS 64
#define RAIM_MAX_PIECES (RAIM_MAX_OUTLINE_POINTS - 2)

enum raim_outline_error {
    RAIM_OUTLINE_OK,
    RAIM_OUTLINE_TOO_FEW_POINTS,
    RAIM_OUTLINE_TOO_MANY_POINTS,
    RAIM_OUTLINE_NOT_FINITE, // or beyond RAIM_POLYGON_REACH
    RAIM_OUTLINE_SHORT_EDGE, // below RAIM_MIN_POLYGON_EDGE
    RAIM_OUTLINE_COLLINEAR,  // a turn of less than RAIM_MIN_POLYGON_TURN, or straight back
    RAIM_OUTLINE_CROSSING,   // two edges cross or come closer than RAIM_MIN_POLYGON_EDGE
    RAIM_OUTLINE_SMALL_AREA, // below RAIM_MIN_POLYGON_AREA
    RAIM_OUTLINE_TOO_FLAT,   // every cut would leave a piece with a nearly collinear corner
};

struct raim_outline_problem {
    enum raim_outline_error error;
    // The edges at fault, first <= second. Edge i runs from the caller's point i to the next one.
    // Both name one edge when that edge is too short or starts at a bad point. Both are 0 when the
    // error concerns the whole outline.
    int first_edge, second_edge;
};

// The memory that a cut works in: some 46 KB, too much for a stack. Nothing is kept in it. The
// outline is numbered counter-clockwise from its leftmost point, or the lower one of two.
struct raim_outline_work {
    raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
    int count;
    // For each part between the points i < j and their diagonal: the total thinness of its best
    // triangulation, and the third corner of the triangle on that diagonal.
    double cost[RAIM_MAX_OUTLINE_POINTS][RAIM_MAX_OUTLINE_POINTS];
    uint8_t apex[RAIM_MAX_OUTLINE_POINTS][RAIM_MAX_OUTLINE_POINTS];
    struct raim_outline_diagonal {
        uint8_t from, to;
        double length;
    } diagonals[RAIM_MAX_OUTLINE_POINTS];
    int diagonal_count;
    struct raim_outline_piece {
        uint8_t corners[RAIM_MAX_OUTLINE_POINTS]; // counter-clockwise, with collinear ones
        int count;                                // 0 after merging into another piece
    } pieces[RAIM_MAX_PIECES];
    int piece_count;
    uint8_t owner[RAIM_MAX_OUTLINE_POINTS][RAIM_MAX_OUTLINE_POINTS]; // of the edge from i to j
};

// Cuts an outline in either winding into convex pieces. Any count is accepted and judged; a good
// one is 3 to RAIM_MAX_OUTLINE_POINTS. `pieces` must have room for RAIM_MAX_PIECES. Each piece has
// at most RAIM_MAX_POLYGON_POINTS corners, all of them points of the outline. The edges of the
// outline are edges of the pieces, except that a piece has no corner where an edge and the cut
// behind its end are collinear. Every cut is a whole edge, marked in `seams`, of at least one of
// its two pieces. The same outline gives the same pieces in the same order, whatever its winding
// and first point. Returns RAIM_OUTLINE_OK, or the first problem and 0 in `piece_count`. Allocates
// nothing.
struct raim_outline_problem raim_outline_cut(const raim_vec2 *points, int count,
                                             raim_polygon *pieces, int *piece_count,
                                             struct raim_outline_work *work);

// Returns a description of an error that completes the sentence "the outline ...".
const char *raim_outline_error_text(enum raim_outline_error error);

#ifdef __cplusplus
}
#endif
