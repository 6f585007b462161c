// SPDX-License-Identifier: MIT
// Line of sight from a point to a circle past convex obstacles. The test is exact and casts no
// rays: each obstacle hides an interval of directions, and the circle is hidden when the union of
// the intervals covers it. Units: coordinates and radii are in units, and finite. Thread rule: a
// struct raim_sight belongs to one thread at a time; the functions keep no state.
#pragma once

#include "polygon.h"

#ifdef __cplusplus
extern "C" {
#endif

// The smallest angle, in radians, of a gap between two obstacles that lets light through. It covers
// rounding errors.
#define RAIM_SIGHT_SLIT 1e-12

// The capacity of one pass, in disjoint hidden spans.
#define RAIM_SIGHT_SPANS 16

// A viewer that touches several obstacles is moved off them at most this many times. After that it
// counts as stuck and sees nothing.
#define RAIM_SIGHT_STEPS 8

// The state of a query for one viewer and one circle. Usage:
//     bool sees = !raim_sight_begin(&sight, from, centre, radius);
//     if (!sees) {
//         do
//             for each obstacle that touches sight.cone (or every obstacle), in any order
//                 raim_sight_hide(&sight, obstacle);
//         while (raim_sight_next_pass(&sight));
//         sees = !raim_sight_is_hidden(&sight);
//     }
// The loop may stop as soon as the circle is hidden.
struct raim_sight {
    raim_vec2 from, centre;
    double radius;
    raim_vec2
        cone[3]; // the viewer, and the points where the right and left tangents touch the circle
    // The dual basis of a skew frame whose axes are the tangents: the dot products of an offset
    // with these are its coordinates. The corners of the cone are (0, 0), (1, 0) and (0, 1).
    raim_vec2 right, left;
    double slit; // RAIM_SIGHT_SLIT as a fraction of the cone
    // A direction is the fraction at which it crosses the segment between the tangent points: 0 is
    // the right one, 1 the left one.
    struct raim_sight_span {
        double first, last;
    } hidden[RAIM_SIGHT_SPANS]; // ascending, disjoint
    int hidden_count;
    double complete_until; // later spans may have been dropped for lack of room
    raim_vec2 next_from;   // differs from `from` when the viewer must move off an obstacle
    int steps;
};

// Begins a query. The radius must be positive. Returns false when the viewer is in or on the
// circle: it then sees the circle, and the query is over.
bool raim_sight_begin(struct raim_sight *sight, raim_vec2 from, raim_vec2 centre, double radius);

// Hides the directions that an obstacle covers. The interior of an obstacle is hidden, too, so an
// obstacle may overlap the circle. A viewer inside an obstacle sees nothing. A viewer that touches
// one, by less than RAIM_SWEEP_TOUCH, is moved just in front of it. Seams do not hide anything, but
// no light passes them: the faces of adjacent pieces share their end points.
void raim_sight_hide(struct raim_sight *sight, const raim_polygon *obstacle);

// Ends a pass over the obstacles. Returns true when another pass is needed, because dropped spans
// could decide the result or the viewer has been moved off an obstacle.
bool raim_sight_next_pass(struct raim_sight *sight);

// Returns true when the whole circle is hidden.
bool raim_sight_is_hidden(const struct raim_sight *sight);

// Moves a viewer that touches an obstacle off it, by up to 3 * RAIM_SWEEP_TOUCH. Returns false when
// the viewer is inside the obstacle.
bool raim_sight_step_off(const raim_polygon *obstacle, raim_vec2 *from);

#ifdef __cplusplus
}
#endif
