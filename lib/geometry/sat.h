// SPDX-License-Identifier: MIT
// Overlap tests by the separating axis theorem: a circle or a convex polygon against a convex
// polygon. The axes are the edge normals and, beside a corner, the axis from that corner to the
// circle's centre. The search over faces and Voronoi regions follows Christer Ericson, Real-Time
// Collision Detection, 2005, ch. 5.
// Units: coordinates and depths are in units, and finite.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include "polygon.h"

// Depths that differ by less than this, in units, count as equal.
#define RAIM_SAT_TIE 1e-6

// Two polygons that overlap by no more than this, in units, only touch. It covers rounding errors.
#define RAIM_SAT_TOUCH 1e-9

typedef struct raim_contact {
    raim_vec2 normal; // unit, out of the second shape
    double depth;     // > 0; moving the first shape by normal * depth just separates the two
} raim_contact;

// Returns true, and the minimum translation vector in `contact`, when the circle overlaps the
// polygon; touching is not overlapping. `from` is the point that the circle came from: when several
// faces tie for the smallest depth, such as both sides of a thin wall, the one that faces `from`
// wins. A circle whose centre is inside leaves through the nearest face that is not a seam.
bool raim_sat_circle(const raim_polygon *polygon, raim_vec2 centre, double radius, raim_vec2 from,
                     raim_contact *contact);

// Returns true, and the minimum translation vector that moves `a` out of `b` in `contact`, when the
// polygons overlap by more than RAIM_SAT_TOUCH; one may be inside the other. Seams count as faces.
// Among equally short translations, one along a face of b is preferred, then the lowest face.
bool raim_sat_polygons(const raim_polygon *a, const raim_polygon *b, raim_contact *contact);
