// SPDX-License-Identifier: MIT
// The separating axis theorem for circles and convex polygons against a convex polygon. The axes
// are the edge normals and, beside a corner, the axis from that corner to the circle's centre; the
// search over faces and Voronoi regions follows Christer Ericson, Real-Time Collision Detection,
// 2005, ch. 5.
#pragma once

#include "polygon.h"

// Depths that differ by less than this, in units, are a tie.
#define RAIM_SAT_TIE 1e-6

// Two polygons that overlap by no more than this, in units, touch: rounding shows below it.
#define RAIM_SAT_TOUCH 1e-9

typedef struct raim_contact {
    raim_vec2 normal; // unit, out of the second shape
    double depth;     // > 0; moving the first shape by normal * depth just separates the two
} raim_contact;

// True and the minimum translation vector when the circle overlaps the polygon; touching is not
// overlapping. Where several faces tie for the smallest depth (a thin wall's two sides), the one
// that faces `from`, the point where the circle came from, wins. A centre inside leaves by the
// nearest face that is no seam.
bool raim_sat_circle(const raim_polygon *polygon, raim_vec2 centre, double radius, raim_vec2 from,
                     raim_contact *contact);

// True and the minimum translation vector that takes `a` out of `b` when they overlap by more than
// RAIM_SAT_TOUCH, one inside the other included. Seams count as faces. Where several ways are as
// short, a face of b comes before one of a, then the first face.
bool raim_sat_polygons(const raim_polygon *a, const raim_polygon *b, raim_contact *contact);
