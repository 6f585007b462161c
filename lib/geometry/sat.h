// SPDX-License-Identifier: MIT
// The separating axis theorem for a circle against a convex polygon. The axes are the edge
// normals and, beside a corner, the axis from that corner to the centre; the search over faces
// and Voronoi regions follows Christer Ericson, Real-Time Collision Detection, 2005, ch. 5.
#pragma once

#include "polygon.h"

// Depths that differ by less than this, in units, are a tie.
#define RAIM_SAT_TIE 1e-6

typedef struct raim_contact {
    raim_vec2 normal; // unit, out of the polygon
    double depth;     // > 0; moving the circle by normal * depth just separates the two
} raim_contact;

// True and the minimum translation vector when the circle overlaps the polygon; touching is not
// overlapping. Where several faces tie for the smallest depth (a thin wall's two sides), the one
// that faces `from`, the point where the circle came from, wins.
bool raim_sat_circle(const raim_polygon *polygon, raim_vec2 centre, double radius, raim_vec2 from,
                     raim_contact *contact);
