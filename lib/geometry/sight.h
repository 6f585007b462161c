// SPDX-License-Identifier: MIT
// Line of sight: does a point see any of a circle past convex obstacles? Exact, without rays: each
// obstacle hides a span of directions, and the circle is hidden when the spans cover all of it.
#pragma once

#include "polygon.h"

// Between two obstacles, a gap that looks narrower than this, in radians, is closed: rounding shows
// below it.
#define RAIM_SIGHT_SLIT 1e-12

// Hidden spans apart from each other that one round can remember.
#define RAIM_SIGHT_SPANS 16

// Times that a viewer who touches several obstacles steps off them, before it counts as stuck: it
// sees nothing then.
#define RAIM_SIGHT_STEPS 8

// What is known of one viewer and one circle. To ask:
//     bool sees = !raim_sight_begin(&sight, from, centre, radius);
//     if (!sees) {
//         do
//             for each obstacle that touches sight.cone, or simply all, in any order
//                 raim_sight_hide(&sight, obstacle);
//         while (raim_sight_again(&sight));
//         sees = !raim_sight_is_hidden(&sight);
//     }
// The loop may stop as soon as the circle is hidden.
struct raim_sight {
    raim_vec2 from, centre;
    double radius;
    raim_vec2 cone[3]; // the viewer, and where the right and the left tangent meet the circle
    // The tangents are the axes of a skew frame, in which the three are (0, 0), (1, 0) and (0, 1):
    // an offset's coordinates are its dot products with these.
    raim_vec2 right, left;
    double slit; // RAIM_SIGHT_SLIT, as a part of the cone
    // A direction is told by where it meets the line between the tangents' ends: right 0, left 1.
    struct raim_sight_span {
        double first, last;
    } hidden[RAIM_SIGHT_SPANS]; // ascending, apart
    int hidden_count;
    double complete_until; // spans from here on may have been forgotten for lack of room
    raim_vec2 next_from;   // not `from` where the viewer has to step off an obstacle
    int steps;
};

// Returns false when the viewer is in or on the circle, which it then sees: there is nothing to ask
// the obstacles. The radius must be positive.
bool raim_sight_begin(struct raim_sight *sight, raim_vec2 from, raim_vec2 centre, double radius);

// Hides what is behind an obstacle. What lies inside it is hidden too, so that obstacles may
// overlap the circle. A viewer inside an obstacle sees nothing; one who touches it, by less than
// RAIM_SWEEP_TOUCH, looks from just before it. No light comes through the seams of pieces, for they
// hide by their faces only, whose ends the next piece's have too.
void raim_sight_hide(struct raim_sight *sight, const raim_polygon *obstacle);

// True when all obstacles must be gone through once more: it takes hidden spans that were forgotten
// to decide, or the viewer has just stepped off an obstacle.
bool raim_sight_again(struct raim_sight *sight);

// True when all of the circle is hidden.
bool raim_sight_is_hidden(const struct raim_sight *sight);

// Takes a viewer who touches an obstacle just off it, by up to 3 RAIM_SWEEP_TOUCH; returns false
// when the viewer is inside.
bool raim_sight_step_off(const raim_polygon *obstacle, raim_vec2 *from);
