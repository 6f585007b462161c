// SPDX-License-Identifier: MIT
// Peeking: could somebody who runs for a while come to see somebody else who runs as long? What a
// server must tell a client ahead of its latency, and all that it may tell.
//
// What holds for one distance holds for a while. Where two peek at a distance, they still do at one
// longer by what either ran since: it may run back first. Where they are apart up to a distance,
// they still are up to one shorter by what either moved since. So whoever asks for a few ticks more
// than it needs need not ask again in these.
#pragma once

#include "reachability.h"

// True when any of a circle is in the view, a rectangle of a width and a height around an eye.
static inline bool raim_is_in_view(raim_vec2 view, raim_vec2 eye, raim_vec2 centre, double radius)
{
    const double x = fabs(centre.x - eye.x) - view.x / 2, y = fabs(centre.y - eye.y) - view.y / 2;
    return x <= radius && y <= radius && (x <= 0 || y <= 0 || x * x + y * y <= radius * radius);
}

// Which of the viewer's points and which of the target's: one sees the other between these.
struct raim_glimpse {
    int from, to;
};

// True when any part of a circle around one of the target's points is in the view around one of the
// viewer's and can be seen from there: when raim_is_in_view and raim_map_sees_circle say so of a
// pair. So it is never true for what no run reveals. It is true whenever there is such a pair, if
// there are at most 96 pairs or the two are not so near to each other that lines between them run
// in about every direction; beyond that, up to 81 to 96 of the likely pairs are looked at. The
// circles around the target's points must be free; the radius must be positive.
//
// Of the hidden pairs of the shipped maps that some run of two legs reveals, the reaches of runs up
// to 24 units miss 0.1 %, of 45 units 0.2 %, of 75 units 0.5 %: those that show by a hair
// at the very end of the run. Where it is true, `glimpse` tells the pair.
//
// `blocker` is the obstacle that is asked first, for what hid somebody a moment ago most often does
// it still; any number will do for a start. It becomes the one that took the last lines of sight.
bool raim_map_pvs_sees(const struct raim_map *map, const struct raim_reach *viewer,
                       const struct raim_reach *target, double radius, raim_vec2 view,
                       uint16_t *blocker, struct raim_glimpse *ray);

// True when no part of either of two circles can be seen from the centre of the other, however they
// move, as long as both stay within `distance` units of where they are and pass through no
// obstacle; by speed they may be as far from there as `distance`, but for a thousandth that
// rounding a corner gains. Both must be free. False says nothing. It is true for 99 % of the pairs
// of the shipped maps that no run of 24 units reveals, for 93 % of those of 45 units, 71 % of 75.
bool raim_map_is_apart(const struct raim_map *map, raim_vec2 a, raim_vec2 b, double radius,
                       double distance, uint16_t *blocker);
