// SPDX-License-Identifier: MIT
// Sine and cosine by the Taylor series of one octant; the arc tangent by an estimate and one
// correction step.
#include "angle.h"

#include <assert.h>

enum {
    QUARTER = RAIM_ANGLE_TURN / 4,
    OCTANT = RAIM_ANGLE_TURN / 8,
    TERMS = 8, // the remainder of the series is below 1e-17 within an octant
};

static const double pi = 0x1.921fb54442d18p+1;

// -1/3!, 1/5!, ... and -1/2!, 1/4!, ...
static const double sine_terms[TERMS] = {
    -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
    -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000,
};
static const double cosine_terms[TERMS] = {
    -1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
    -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000,
};

static double polynomial(const double terms[TERMS], double x)
{
    double sum = terms[TERMS - 1];
    for (int i = TERMS - 2; i >= 0; i--)
        sum = sum * x + terms[i];
    return sum;
}

// Returns the direction of an angle from 0 to OCTANT. Adds the leading terms last, to round once.
static raim_vec2 octant_direction(int angle)
{
    const double radians = angle * (2 * pi / RAIM_ANGLE_TURN);
    const double squared = radians * radians;
    return (raim_vec2){1 + squared * polynomial(cosine_terms, squared),
                       radians + radians * squared * polynomial(sine_terms, squared)};
}

// Returns the angle, from 0 to OCTANT, nearest to the direction of (1, slope).
static int octant_angle(double slope)
{
    // The estimate is a parabola through both ends of the octant, at most 41 off. The correction is
    // the arc tangent of the remaining angle by the first two terms of its series, exact to 1e-8.
    const int guess = (int)(slope * (OCTANT + 2847 * (1 - slope)) + 0.5);
    const raim_vec2 near = octant_direction(guess);
    const double tangent = (near.x * slope - near.y) / (near.x + near.y * slope);
    const double radians = tangent - tangent * tangent * tangent / 3;
    return guess + (int)floor(radians * (RAIM_ANGLE_TURN / (2 * pi)) + 0.5);
}

raim_vec2 raim_angle_direction(raim_angle angle)
{
    const int within = angle % QUARTER;
    raim_vec2 first; // within the first quarter
    if (within <= OCTANT) {
        first = octant_direction(within);
        if (within == OCTANT)
            first.y = first.x; // exactly 45 degrees
    } else {
        const raim_vec2 mirrored = octant_direction(QUARTER - within);
        first = (raim_vec2){mirrored.y, mirrored.x};
    }
    // Subtracting from zero instead of negating avoids negative zeros.
    switch (angle / QUARTER) {
    case 0:
        return first;
    case 1:
        return (raim_vec2){0 - first.y, first.x};
    case 2:
        return (raim_vec2){0 - first.x, 0 - first.y};
    default:
        return (raim_vec2){first.y, 0 - first.x};
    }
}

raim_angle raim_angle_of(raim_vec2 vector)
{
    assert(isfinite(vector.x));
    assert(isfinite(vector.y));
    const double across = fabs(vector.x), up = fabs(vector.y);
    if (across == 0 && up == 0)
        return 0;
    int angle = up > across ? QUARTER - octant_angle(across / up) : octant_angle(up / across);
    if (vector.x < 0)
        angle = 2 * QUARTER - angle;
    if (vector.y < 0)
        angle = -angle;
    return (raim_angle)angle;
}
