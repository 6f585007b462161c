// SPDX-License-Identifier: MIT
// Continuous collision: when does a moving circle first touch something? Every function returns
// the fraction of the displacement travelled at the first touch, in [0, 1], or RAIM_SWEEP_MISS.
// What overlaps at the start is touched at 0. What merely touches at the start is touched at 0 by a
// motion into it and missed by one along it or away.
#pragma once

#include "polygon.h"

#define RAIM_SWEEP_MISS 2.0

// Gaps and overlaps up to this, in units, are a mere touch: rounding shows below it.
#define RAIM_SWEEP_TOUCH 1e-9

// A circle against a resting convex polygon: a ray against the polygon grown by the radius (its
// offset edges and a circle around each corner). What runs along a seam, between the pieces of an
// outline, hits one of them at least.
double raim_sweep_polygon(const raim_polygon *polygon, raim_vec2 start, raim_vec2 displacement,
                          double radius);

// A point against a resting circle; for two moving circles pass the relative motion and the sum
// of the radii.
double raim_sweep_circle(raim_vec2 start, raim_vec2 displacement, raim_vec2 centre, double radius);

// A circle inside a box that it must not leave: the first touch from within. 0 when any of it
// starts outside.
double raim_sweep_box(raim_box box, raim_vec2 start, raim_vec2 displacement, double radius);
