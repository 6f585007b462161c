// SPDX-License-Identifier: MIT
// Takes the chord between the corners that protrude most from the hull of the two discs.
#include "occluder.h"

// Returns the distance between a point and the parts of a line that are not between two of its
// points. Returns a negative number for a point that is not on the given side: 1 is the left of the
// way from `start` to `end`, -1 the right.
static double distance_around(raim_vec2 start, raim_vec2 end, raim_vec2 point, double side)
{
    const raim_vec2 way = raim_vec2_sub(end, start), offset = raim_vec2_sub(point, start);
    const double squared = raim_vec2_length_squared(way);
    const double area = side * raim_vec2_cross(way, offset);
    if (area <= 0)
        return -1;
    const double along = raim_vec2_dot(way, offset);
    if (along <= 0 || along >= squared)
        return area / sqrt(squared);
    const raim_vec2 nearest = along < squared / 2 ? start : end;
    return sqrt(raim_vec2_distance_squared(point, nearest));
}

static double min(double a, double b)
{
    return a < b ? a : b;
}

double raim_occluder_slack(const raim_polygon *obstacle, const struct raim_stabbing_lines_end *from,
                           const struct raim_stabbing_lines_end *to)
{
    const raim_vec2 way = raim_vec2_sub(to->centre, from->centre);
    const double squared = raim_vec2_length_squared(way);
    const double start = from->reach + from->radius, end = to->reach + to->radius;
    const double widening = end - start;
    if (squared <= (start + end) * (start + end) / 4 || squared <= widening * widening)
        return -1;
    // The normals of the hull's two sides, times the length of the way: they lean back as the hull
    // widens, and they do not change when both discs grow alike.
    const double length = sqrt(squared), lean = -widening / length;
    const double upright = sqrt(1 - lean * lean) / length;
    const raim_vec2 back = raim_vec2_scale(way, lean / length);
    const raim_vec2 aside = {-way.y * upright, way.x * upright};
    const raim_vec2 left_normal = raim_vec2_add(back, aside);
    const raim_vec2 right_normal = raim_vec2_sub(back, aside);
    double left = -INFINITY, right = -INFINITY; // how far the corners protrude
    raim_vec2 left_corner = from->centre, right_corner = from->centre;
    for (int i = 0; i < obstacle->count; i++) {
        const raim_vec2 offset = raim_vec2_sub(obstacle->points[i], from->centre);
        const double at_left = raim_vec2_dot(left_normal, offset);
        const double at_right = raim_vec2_dot(right_normal, offset);
        if (at_left > left) {
            left = at_left;
            left_corner = obstacle->points[i];
        }
        if (at_right > right) {
            right = at_right;
            right_corner = obstacle->points[i];
        }
    }
    const double slack = min(left, right) - start;
    if (slack < 0)
        return slack;
    const double before = distance_around(left_corner, right_corner, from->centre, -1);
    const double behind = distance_around(left_corner, right_corner, to->centre, 1);
    return min(slack, min(before - from->reach, behind - to->reach));
}
