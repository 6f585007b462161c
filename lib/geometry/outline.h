// SPDX-License-Identifier: MIT
// Simple polygons, convex or not, and their cuts into few convex pieces: the triangulation with the
// fattest triangles, found part by part (Klincsek, Minimal Triangulations of Polygonal Domains,
// 1980), loses all diagonals that no reflex corner needs (Hertel and Mehlhorn, Fast Triangulation
// of Simple Polygons, 1983), which leaves at most four times the fewest pieces possible.
#pragma once

#include "polygon.h"

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
    RAIM_OUTLINE_TOO_FLAT,   // every cut would leave a piece with a corner as good as collinear
};

struct raim_outline_problem {
    enum raim_outline_error error;
    // The edges at fault, first < second; edge i runs from point i to the next one, as the caller
    // numbered them. A short edge, or the one that starts at a bad point, is both of them; both are
    // 0 where the error is about the whole outline.
    int first_edge, second_edge;
};

// Cuts an outline of 3 to RAIM_MAX_OUTLINE_POINTS points in either winding into convex pieces, at
// most RAIM_MAX_PIECES (the room that `pieces` must have), each of at most RAIM_MAX_POLYGON_POINTS
// corners, all of them points of the outline. The outline's edges are the pieces' edges, except
// that a piece has no corner where it goes straight on along the cut behind an edge's end. Every
// cut is a whole edge, marked in `seams`, of one piece beside it at least. The same outline gives
// the same pieces in the same order, whatever its winding and first point. Allocates nothing.
struct raim_outline_problem raim_outline_cut(const raim_vec2 *points, int count,
                                             raim_polygon *pieces, int *piece_count);

// What is wrong, as words that complete "the outline ...".
const char *raim_outline_error_text(enum raim_outline_error error);
