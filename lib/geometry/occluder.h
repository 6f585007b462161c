// SPDX-License-Identifier: MIT
// Occluder: whether one obstacle alone hides moving circles from a moving eye, and how far both may
// move before it could stop to. It is the test of a strong occluder (Coorg and Teller, Real-Time
// Occlusion Culling for Models with Large Occluders, 1997), between two discs instead of from a
// point. Every line of sight lies in the convex hull of the discs. An obstacle that protrudes from
// the hull on both sides, and whose outline between its outermost corners crosses the line between
// the centres an odd number of times, cuts the hull in two. The answer is in closed form and costs
// a tenth of a set of stabbing lines, which also finds several obstacles that hide together. Units:
// coordinates and radii are in units, and finite. Thread rule: the functions keep no state.
#pragma once

#include "stabbing_lines.h"

// How an obstacle stands between moving ends.
struct raim_occlusion {
    // The distance by which the reach of all ends may grow while the obstacle still hides every
    // circle of the second ends from every point of the first. A negative number: so far the hull
    // protrudes past a corner. -INFINITY: the obstacle is not between the centres.
    double slack;
    // The side, seen from the first end, on which the lesser corner is: 1 is the left, -1 the
    // right.
    double side;
};

// Finds how an obstacle stands between `from` and `to`. `outline` holds the corners of a simple
// polygon, in either winding. All ends move in free space. With two second ends, the circle may
// also be anywhere on the straight way between them, which must be free. An obstacle whose slack is
// not above `least` may be reported with -INFINITY, which takes less time.
struct raim_occlusion raim_occluder_find(const raim_vec2 *outline, int count,
                                         const struct raim_stabbing_lines_end *from,
                                         const struct raim_stabbing_lines_end *to, int to_count,
                                         double least);
