// SPDX-License-Identifier: MIT
// Takes the two corners that protrude most from the hull, and counts crossings between them.
#include "occluder.h"

#include <assert.h>

enum { MAX_ENDS = 2 };

static double min(double a, double b)
{
    return a < b ? a : b;
}

// The sides of the convex hull of two discs: the normals of its two tangents point outwards. They
// lean back as the hull widens, and do not change when both discs grow alike.
struct hull {
    raim_vec2 left, right;
};

// Returns false when the discs are so close that there is nothing between them.
static bool make_hull(struct hull *hull, const struct raim_stabbing_lines_end *from,
                      const struct raim_stabbing_lines_end *to)
{
    const raim_vec2 way = raim_vec2_sub(to->centre, from->centre);
    const double squared = raim_vec2_length_squared(way);
    const double widening = to->reach + to->radius - from->reach - from->radius;
    if (squared <= widening * widening)
        return false;
    const double sine = widening / squared; // divided by the length of the way
    const double cosine = sqrt(squared - widening * widening) / squared;
    const raim_vec2 back = raim_vec2_scale(way, -sine);
    const raim_vec2 aside = {-way.y * cosine, way.x * cosine};
    hull->left = raim_vec2_add(back, aside);
    hull->right = raim_vec2_sub(back, aside);
    return true;
}

// Returns true when the straight line between two centres crosses the outline an odd number of
// times between two of its corners. Either way around gives the same answer, because both centres
// are outside.
static bool crosses_oddly(const raim_vec2 *outline, int count, int first, int last, raim_vec2 from,
                          raim_vec2 to)
{
    const raim_vec2 way = raim_vec2_sub(to, from);
    bool is_odd = false;
    raim_vec2 a = raim_vec2_sub(outline[first], from);
    double side_of_a = raim_vec2_cross(way, a);
    for (int i = first; i != last;) {
        i = i + 1 < count ? i + 1 : 0;
        const raim_vec2 b = raim_vec2_sub(outline[i], from);
        const double side_of_b = raim_vec2_cross(way, b);
        if ((side_of_a > 0) != (side_of_b > 0)) {
            // The fraction of the way at which it crosses this side of the outline.
            const raim_vec2 side = raim_vec2_sub(b, a);
            const double at = raim_vec2_cross(a, side), whole = raim_vec2_cross(way, side);
            is_odd ^= whole > 0 ? at > 0 && at < whole : at < 0 && at > whole;
        }
        a = b;
        side_of_a = side_of_b;
    }
    return is_odd;
}

// The corners that protrude most from all hulls at once, by index, and by how much.
struct extremes {
    double left, right;
    int left_corner, right_corner;
};

// Inline, so that each number of hulls gets its own loop.
static inline struct extremes extremes_of(const raim_vec2 *outline, int count, raim_vec2 from,
                                          const struct hull *hulls, int hull_count)
{
    struct extremes extremes = {-INFINITY, -INFINITY, 0, 0};
    for (int i = 0; i < count; i++) {
        const raim_vec2 offset = raim_vec2_sub(outline[i], from);
        double left = raim_vec2_dot(hulls[0].left, offset);
        double right = raim_vec2_dot(hulls[0].right, offset);
        for (int hull = 1; hull < hull_count; hull++) {
            left = min(left, raim_vec2_dot(hulls[hull].left, offset));
            right = min(right, raim_vec2_dot(hulls[hull].right, offset));
        }
        if (left > extremes.left) {
            extremes.left = left;
            extremes.left_corner = i;
        }
        if (right > extremes.right) {
            extremes.right = right;
            extremes.right_corner = i;
        }
    }
    return extremes;
}

struct raim_occlusion raim_occluder_find(const raim_vec2 *outline, int count,
                                         const struct raim_stabbing_lines_end *from,
                                         const struct raim_stabbing_lines_end *to, int to_count,
                                         double least)
{
    static const struct raim_occlusion none = {-INFINITY, 0};
    assert(to_count >= 1 && to_count <= MAX_ENDS);
    struct hull hulls[MAX_ENDS];
    for (int end = 0; end < to_count; end++)
        if (!make_hull(&hulls[end], from, &to[end]))
            return none;
    const struct extremes extremes =
        to_count == 1 ? extremes_of(outline, count, from->centre, hulls, 1)
                      : extremes_of(outline, count, from->centre, hulls, MAX_ENDS);
    const struct raim_occlusion occlusion = {
        min(extremes.left, extremes.right) - from->reach - from->radius,
        extremes.left < extremes.right ? 1 : -1,
    };
    if (occlusion.slack <= least || !crosses_oddly(outline, count, extremes.left_corner,
                                                   extremes.right_corner, from->centre, to->centre))
        return none;
    return occlusion;
}
