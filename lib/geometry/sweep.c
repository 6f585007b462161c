// SPDX-License-Identifier: MIT
// Computes times of impact of moving circles.
#include "sweep.h"

// A hit on a face counts up to this distance beyond the ends of the face, in units. Otherwise
// rounding could let a circle slip between the face and its corner.
static const double face_margin = 1e-6;

// Each piece extends this far beyond its seams, in units: more than a touch on either side and
// rounding. Otherwise a motion along a seam would touch both pieces and overlap neither.
static const double seam_reach = 4 * RAIM_SWEEP_TOUCH;

// The longest path, in units, through the tip that this extension adds at the end of a seam.
static const double tip_length = 1e-6;

// Returns true when a gap that changes by `change` during the motion never closes. A gap that is
// closed at the start stays open until the shapes overlap.
static bool stays_open(double gap, double change)
{
    if (gap > RAIM_SWEEP_TOUCH)
        return gap + change > 0;
    return gap > -RAIM_SWEEP_TOUCH && gap + change > -RAIM_SWEEP_TOUCH;
}

static double gap_to(const raim_polygon *polygon, int face, raim_vec2 point, double radius)
{
    const double grown = radius + (raim_polygon_is_seam(polygon, face) ? seam_reach : 0);
    return raim_vec2_dot(polygon->normals[face], raim_vec2_sub(point, polygon->points[face])) -
           grown;
}

// Returns true when a motion that enters the piece at a point does not leave it again at once. At
// the end of a seam, a tip of the extended piece lies outside the outline; a motion that crosses
// only the tip has not hit the outline.
static bool stays_inside(const raim_polygon *polygon, raim_vec2 at, raim_vec2 displacement,
                         double radius)
{
    const double length = raim_vec2_length(displacement);
    for (int i = 0; i < polygon->count; i++) {
        const double change = raim_vec2_dot(polygon->normals[i], displacement);
        if (change > 0 && gap_to(polygon, i, at, radius) * length + change * tip_length > 0)
            return false;
    }
    return true;
}

double raim_sweep_polygon(const raim_polygon *polygon, raim_vec2 start, raim_vec2 displacement,
                          double radius)
{
    // The faces offset by the radius enclose the grown polygon. The ray enters that region through
    // the last face that it crosses inwards. A ray that starts inside belongs to its nearest face.
    double enter = -1, nearest = -INFINITY;
    int face = 0;
    for (int i = 0; i < polygon->count; i++) {
        const double gap = gap_to(polygon, i, start, radius);
        const double change = raim_vec2_dot(polygon->normals[i], displacement);
        if (stays_open(gap, change))
            return RAIM_SWEEP_MISS;
        if (gap > -RAIM_SWEEP_TOUCH) {
            const double time = gap > RAIM_SWEEP_TOUCH ? gap / -change : 0;
            if (time > enter) {
                enter = time;
                face = i;
            }
        } else if (enter < 0 && gap > nearest) {
            nearest = gap;
            face = i;
        }
    }
    const bool through_seam = enter >= 0 && raim_polygon_is_seam(polygon, face);
    enter = enter < 0 ? 0 : enter;
    const raim_vec2 at = raim_vec2_mad(start, displacement, enter);
    const raim_vec2 *corner = raim_polygon_corner_beyond(polygon, face, at, face_margin);
    if (corner == NULL && !through_seam)
        return enter;
    // Beyond the end of that face, the ray can enter the grown polygon only through the circle
    // around the corner.
    if (corner != NULL && (radius > seam_reach || polygon->seams == 0))
        return raim_sweep_circle(start, displacement, *corner, radius);
    // A circle that enters through a seam has hit the piece on the other side before. A ray may
    // only have touched that piece when it enters through the end of the seam.
    return radius <= seam_reach && stays_inside(polygon, at, displacement, radius)
               ? enter
               : RAIM_SWEEP_MISS;
}

double raim_sweep_circle(raim_vec2 start, raim_vec2 displacement, raim_vec2 centre, double radius)
{
    const raim_vec2 out = raim_vec2_sub(start, centre);
    const double squared = raim_vec2_length_squared(out);
    const double inner = radius - RAIM_SWEEP_TOUCH, outer = radius + RAIM_SWEEP_TOUCH;
    if (inner > 0 && squared < inner * inner)
        return 0;
    const double approach = 0 - raim_vec2_dot(out, displacement);
    if (approach <= 0)
        return RAIM_SWEEP_MISS;
    const bool touching = squared <= outer * outer;
    const double reach = touching && inner > 0 ? inner : radius;
    const double graze = inner > 0 ? inner : radius;
    const double cross = raim_vec2_cross(out, displacement);
    const double moved_squared = raim_vec2_length_squared(displacement);
    if (cross * cross >= graze * graze * moved_squared)
        return RAIM_SWEEP_MISS;
    // The quadratic's root in the form that cannot divide by zero: the divisor exceeds `approach`.
    const double discriminant = reach * reach * moved_squared - cross * cross;
    const double time = (squared - reach * reach) / (approach + sqrt(discriminant));
    if (time > 1)
        return RAIM_SWEEP_MISS;
    return touching || time < 0 ? 0 : time;
}

// Returns the fraction at which a gap along one axis, which changes by `change`, closes.
static double sweep_side(double gap, double change)
{
    if (gap <= -RAIM_SWEEP_TOUCH)
        return 0;
    if (stays_open(gap, change))
        return RAIM_SWEEP_MISS;
    return gap > RAIM_SWEEP_TOUCH ? gap / -change : 0;
}

double raim_sweep_box(raim_box box, raim_vec2 start, raim_vec2 displacement, double radius)
{
    const double left = start.x - radius - box.min.x, right = box.max.x - radius - start.x;
    const double low = start.y - radius - box.min.y, high = box.max.y - radius - start.y;
    // Nearly all motions stay inside.
    if ((left > RAIM_SWEEP_TOUCH) & (left + displacement.x > 0) & (right > RAIM_SWEEP_TOUCH) &
        (right - displacement.x > 0) & (low > RAIM_SWEEP_TOUCH) & (low + displacement.y > 0) &
        (high > RAIM_SWEEP_TOUCH) & (high - displacement.y > 0))
        return RAIM_SWEEP_MISS;
    const double times[4] = {
        sweep_side(left, displacement.x),
        sweep_side(right, 0 - displacement.x),
        sweep_side(low, displacement.y),
        sweep_side(high, 0 - displacement.y),
    };
    double first = RAIM_SWEEP_MISS;
    for (int i = 0; i < 4; i++)
        first = times[i] < first ? times[i] : first;
    return first;
}
