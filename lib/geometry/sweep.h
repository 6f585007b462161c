// SPDX-License-Identifier: MIT
// Continuous collision detection: the time of impact of a moving circle. Every function returns the
// fraction of the displacement travelled at the first touch, in [0, 1], or RAIM_SWEEP_MISS. An
// overlap at the start counts as a touch at 0. A mere touch at the start counts as a touch at 0 for
// a motion into the shape, and as a miss for a motion along it or away from it.
// Units: coordinates, displacements and radii are in units, and finite; radii are 0 or more.
// Thread rule: the functions are pure; any thread may call them.
#pragma once

#include "polygon.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RAIM_SWEEP_MISS 2.0

// Gaps and overlaps up to this, in units, count as a mere touch. It covers rounding errors.
#define RAIM_SWEEP_TOUCH 1e-9

// Sweeps a circle against a resting convex polygon: casts a ray against the polygon grown by the
// radius, that is, its offset edges and a circle around each corner. A motion along a seam, between
// two pieces of an outline, hits at least one of them.
double raim_sweep_polygon(const raim_polygon *polygon, raim_vec2 start, raim_vec2 displacement,
                          double radius);

// Sweeps a point against a resting circle. For two moving circles, pass the relative motion and the
// sum of the radii.
double raim_sweep_circle(raim_vec2 start, raim_vec2 displacement, raim_vec2 centre, double radius);

// Sweeps a circle inside a box that it must not leave. Returns the first touch from within, or 0
// when part of the circle starts outside.
double raim_sweep_box(raim_box box, raim_vec2 start, raim_vec2 displacement, double radius);

#ifdef __cplusplus
}
#endif
