// SPDX-License-Identifier: MIT
// Occluder: whether one convex obstacle hides two moving circles from each other, and how far both
// may move before it could stop to. It is the test of a single strong occluder (Coorg and Teller,
// Real-Time Occlusion Culling for Models with Large Occluders, 1997) between two discs instead of
// from a point. A chord of the obstacle separates the discs when it crosses their convex hull, and
// neither circle can get around an end of it. The answer is in closed form, so it costs a
// twentieth of a set of stabbing lines, which also finds several obstacles that hide together.
// Units: coordinates and radii are in units, and finite.
// Thread rule: the functions keep no state.
#pragma once

#include "stabbing_lines.h"

// Returns the distance by which the reach of both ends may grow while the obstacle still hides
// every circle of the second end from every point of the first, or a negative number when it does
// not do so now. Both ends move in free space: neither passes through the obstacle.
double raim_occluder_slack(const raim_polygon *obstacle, const struct raim_stabbing_lines_end *from,
                           const struct raim_stabbing_lines_end *to);
