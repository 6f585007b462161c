// SPDX-License-Identifier: MIT
// Converts obstacles into spans of hidden directions and merges the spans.
#include "sight.h"

#include "sweep.h"

#include <assert.h>
#include <string.h>

// Each piece extends this far beyond its seams, in units, so that a point on a seam is inside both
// pieces.
static const double seam_reach = 4 * RAIM_SWEEP_TOUCH;

bool raim_sight_begin(struct raim_sight *sight, raim_vec2 from, raim_vec2 centre, double radius)
{
    assert(radius > 0);
    const raim_vec2 way = raim_vec2_sub(centre, from);
    const double squared = raim_vec2_length_squared(way);
    const double tangent_squared = squared - radius * radius;
    if (tangent_squared <= 0)
        return false;
    const double tangent = sqrt(tangent_squared);
    const raim_vec2 across = {-way.y, way.x};
    const raim_vec2 foot = raim_vec2_mad(from, way, tangent_squared / squared);
    const raim_vec2 half = raim_vec2_scale(across, radius * tangent / squared);
    const raim_vec2 ahead = raim_vec2_scale(way, 0.5 / tangent_squared);
    const raim_vec2 aside = raim_vec2_scale(across, 0.5 / (radius * tangent));

    sight->from = from;
    sight->centre = centre;
    sight->radius = radius;
    sight->cone[0] = from;
    sight->cone[1] = raim_vec2_sub(foot, half);
    sight->cone[2] = raim_vec2_add(foot, half);
    sight->right = raim_vec2_sub(ahead, aside);
    sight->left = raim_vec2_add(ahead, aside);
    sight->slit = RAIM_SIGHT_SLIT * sqrt(squared) / radius;
    sight->hidden_count = 0;
    sight->complete_until = INFINITY;
    sight->next_from = from;
    sight->steps = 0;
    return true;
}

// Makes room at `index` for a span. When the array is full, drops the leftmost span. Returns false
// when the new span is the leftmost one.
static bool make_room(struct raim_sight *sight, int index, double first)
{
    struct raim_sight_span *hidden = sight->hidden;
    if (sight->hidden_count == RAIM_SIGHT_SPANS) {
        const bool is_leftmost = index == RAIM_SIGHT_SPANS;
        const double lost = is_leftmost ? first : hidden[RAIM_SIGHT_SPANS - 1].first;
        sight->complete_until = lost < sight->complete_until ? lost : sight->complete_until;
        if (is_leftmost)
            return false;
        sight->hidden_count--;
    }
    memmove(&hidden[index + 1], &hidden[index],
            (size_t)(sight->hidden_count - index) * sizeof *hidden);
    sight->hidden_count++;
    return true;
}

static void hide_span(struct raim_sight *sight, double first, double last)
{
    if (first >= last)
        return;
    struct raim_sight_span *hidden = sight->hidden;
    int begin = 0;
    while (begin < sight->hidden_count && hidden[begin].last + sight->slit < first)
        begin++;
    int end = begin;
    for (; end < sight->hidden_count && hidden[end].first - sight->slit <= last; end++) {
        first = hidden[end].first < first ? hidden[end].first : first;
        last = hidden[end].last > last ? hidden[end].last : last;
    }
    if (begin == end && !make_room(sight, begin, first))
        return;
    hidden[begin] = (struct raim_sight_span){first, last};
    if (end > begin + 1) {
        memmove(&hidden[begin + 1], &hidden[end],
                (size_t)(sight->hidden_count - end) * sizeof *hidden);
        sight->hidden_count -= end - begin - 1;
    }
}

// Returns the end of the hidden span that begins at the right tangent, or 0 without such a span.
static double covered_until(const struct raim_sight *sight)
{
    const bool covers = sight->hidden_count > 0 && sight->hidden[0].first <= sight->slit;
    return covers ? sight->hidden[0].last : 0;
}

bool raim_sight_is_hidden(const struct raim_sight *sight)
{
    return covered_until(sight) >= 1 - sight->slit;
}

static bool begin_after_step(struct raim_sight *sight)
{
    const int steps = sight->steps + 1;
    sight->hidden_count = 0;
    if (steps > RAIM_SIGHT_STEPS)
        hide_span(sight, 0, 1);
    else if (raim_sight_begin(sight, sight->next_from, sight->centre, sight->radius)) {
        sight->steps = steps;
        return true;
    }
    return false;
}

bool raim_sight_next_pass(struct raim_sight *sight)
{
    if (raim_sight_is_hidden(sight))
        return false;
    if (sight->next_from.x != sight->from.x || sight->next_from.y != sight->from.y)
        return begin_after_step(sight);
    if (sight->complete_until > covered_until(sight) + sight->slit)
        return false;
    sight->hidden_count = 1; // the first span, which reaches to where the dropped ones begin
    sight->complete_until = INFINITY;
    return true;
}

// Converts an offset to the skew frame.
static inline raim_vec2 skew(const struct raim_sight *sight, raim_vec2 offset)
{
    return (raim_vec2){raim_vec2_dot(offset, sight->right), raim_vec2_dot(offset, sight->left)};
}

static inline bool is_in_cone(raim_vec2 skewed)
{
    return skewed.x >= 0 && skewed.y >= 0;
}

static inline double direction_of(raim_vec2 skewed)
{
    return skewed.y / (skewed.x + skewed.y);
}

// Hides by a face whose line crosses the circle. The parts of the face inside the circle and in its
// shadow hide nothing. The circle and its shadow are convex together, so at most two parts of the
// face remain, each from one end of the face to the near side of the circle.
static void hide_parts(struct raim_sight *sight, const raim_polygon *obstacle, int face,
                       struct raim_sight_span span)
{
    const raim_vec2 normal = obstacle->normals[face];
    const raim_vec2 along = {-normal.y, normal.x};
    const raim_vec2 out = raim_vec2_sub(obstacle->points[face], sight->centre);
    const double squared = sight->radius * sight->radius;
    const double distance = raim_vec2_dot(normal, out);
    const double half = sqrt(squared - distance * distance);
    const raim_vec2 to_viewer = raim_vec2_sub(sight->from, sight->centre);
    for (int side = -1; side <= 1; side += 2) {
        // The intersection of the line and the circle, relative to the centre.
        const raim_vec2 meeting =
            raim_vec2_mad(raim_vec2_scale(normal, distance), along, side * half);
        if (raim_vec2_dot(meeting, to_viewer) <= squared)
            continue; // the intersection is on the far side
        const double at = direction_of(skew(sight, raim_vec2_sub(meeting, to_viewer)));
        if (side < 0)
            hide_span(sight, at > span.first ? at : span.first, span.last);
        else
            hide_span(sight, span.first, at < span.last ? at : span.last);
    }
}

// Hides by a face that the viewer is in front of. Seen from the viewer it runs clockwise, from left
// to right, so it can enter the cone only through the left tangent.
static void hide_face(struct raim_sight *sight, const raim_polygon *obstacle, int face)
{
    const double before = raim_vec2_dot(obstacle->normals[face],
                                        raim_vec2_sub(sight->centre, obstacle->points[face]));
    if (before >= sight->radius)
        return; // the whole circle is in front of the face
    const raim_vec2 end = obstacle->points[raim_polygon_next(obstacle, face)];
    const raim_vec2 a = skew(sight, raim_vec2_sub(obstacle->points[face], sight->from));
    const raim_vec2 b = skew(sight, raim_vec2_sub(end, sight->from));
    const bool enters = is_in_cone(a) || (a.x < 0 && b.x >= 0);
    // Rounding would reverse a face that runs along a tangent.
    const bool is_edge_on = (b.x < 0 && b.y >= 0) || (a.y < 0 && b.y < 0);
    if (!enters || is_edge_on)
        return;
    const struct raim_sight_span span = {is_in_cone(b) ? direction_of(b) : 0,
                                         is_in_cone(a) ? direction_of(a) : 1};
    if (before <= -sight->radius)
        hide_span(sight, span.first, span.last);
    else
        hide_parts(sight, obstacle, face, span);
}

// Hides by all faces. Returns false when the viewer touches the obstacle or is inside it.
static bool hide_faces(struct raim_sight *sight, const raim_polygon *obstacle)
{
    double nearest = -INFINITY;
    for (int i = 0; i < obstacle->count; i++) {
        const raim_vec2 offset = raim_vec2_sub(sight->from, obstacle->points[i]);
        const double before = raim_vec2_dot(obstacle->normals[i], offset);
        const bool is_seam = raim_polygon_is_seam(obstacle, i);
        const double grown = is_seam ? before - seam_reach : before;
        nearest = grown > nearest ? grown : nearest;
        if (before > 0 && !is_seam)
            hide_face(sight, obstacle, i);
    }
    return nearest > RAIM_SWEEP_TOUCH;
}

// Returns how far a box extends along a direction.
static inline double farthest_along(raim_vec2 way, raim_box box)
{
    return way.x * (way.x > 0 ? box.max.x : box.min.x) +
           way.y * (way.y > 0 ? box.max.y : box.min.y);
}

// Returns true when a box lies beside the cone or beyond the segment between the tangent points.
static bool misses(const struct raim_sight *sight, raim_box box)
{
    const raim_box offset = {raim_vec2_sub(box.min, sight->from),
                             raim_vec2_sub(box.max, sight->from)};
    const raim_vec2 back = raim_vec2_scale(raim_vec2_add(sight->right, sight->left), -1);
    const bool is_left = farthest_along(sight->right, offset) < 0;
    const bool is_right = farthest_along(sight->left, offset) < 0;
    const bool is_beyond = farthest_along(back, offset) < -1;
    return is_left | is_right | is_beyond; // branchless: a misprediction costs more
}

void raim_sight_hide(struct raim_sight *sight, const raim_polygon *obstacle)
{
    if (misses(sight, obstacle->bounds) || hide_faces(sight, obstacle))
        return;
    if (!raim_sight_step_off(obstacle, &sight->next_from))
        hide_span(sight, 0, 1);
}

bool raim_sight_step_off(const raim_polygon *obstacle, raim_vec2 *from)
{
    double nearest = -INFINITY;
    int face = 0;
    for (int i = 0; i < obstacle->count; i++) {
        const bool is_seam = raim_polygon_is_seam(obstacle, i);
        const double before =
            raim_vec2_dot(obstacle->normals[i], raim_vec2_sub(*from, obstacle->points[i])) -
            (is_seam ? seam_reach : 0);
        if (before > nearest) {
            nearest = before;
            face = i;
        }
    }
    if (nearest < -RAIM_SWEEP_TOUCH)
        return false;
    if (nearest <= RAIM_SWEEP_TOUCH && !raim_polygon_is_seam(obstacle, face))
        *from = raim_vec2_mad(*from, obstacle->normals[face], 2 * RAIM_SWEEP_TOUCH - nearest);
    return true;
}
