// SPDX-License-Identifier: MIT
// Clips the convex sets of lines at the corners of obstacles.
#include "stabbing_lines.h"

#include <string.h>

// The sine of the widest angle between a line and the axis. The offsets grow without bound beyond.
static const double max_sine = 0.99;

// A convex polygon clipped twice has at most two corners more.
enum { SHAPE_CORNERS = RAIM_MAX_POLYGON_POINTS + 2 };

// The part of an obstacle between the discs, in the frame.
struct shape {
    int count;
    raim_vec2 corners[SHAPE_CORNERS];
};

static raim_vec2 to_frame(const struct raim_stabbing_lines *lines, raim_vec2 point)
{
    const raim_vec2 offset = raim_vec2_sub(point, lines->from);
    return (raim_vec2){raim_vec2_dot(offset, lines->along), raim_vec2_cross(lines->along, offset)};
}

raim_box raim_stabbing_lines_box(const struct raim_stabbing_lines *lines, raim_box box)
{
    const raim_vec2 half = raim_vec2_scale(raim_vec2_sub(box.max, box.min), 0.5);
    const raim_vec2 centre = to_frame(lines, raim_vec2_add(box.min, half));
    const double across = fabs(lines->along.x), askew = fabs(lines->along.y);
    const raim_vec2 reach = {across * half.x + askew * half.y, askew * half.x + across * half.y};
    return (raim_box){raim_vec2_sub(centre, reach), raim_vec2_add(centre, reach)};
}

// Clips a shape to the half-plane from x on, or up to x with a direction of -1 (Sutherland and
// Hodgman, Reentrant Polygon Clipping, 1974).
static void clip_shape(struct shape *shape, double x, double direction)
{
    struct shape clipped; // not cleared: most of it stays unused
    clipped.count = 0;
    for (int i = 0; i < shape->count; i++) {
        const raim_vec2 a = shape->corners[i];
        const raim_vec2 b = shape->corners[i + 1 < shape->count ? i + 1 : 0];
        const double at_a = direction * (a.x - x), at_b = direction * (b.x - x);
        if (at_a >= 0)
            clipped.corners[clipped.count++] = a;
        if ((at_a >= 0) != (at_b >= 0))
            clipped.corners[clipped.count++] =
                raim_vec2_mad(a, raim_vec2_sub(b, a), at_a / (at_a - at_b));
    }
    shape->count = clipped.count;
    memcpy(shape->corners, clipped.corners, (size_t)clipped.count * sizeof *clipped.corners);
}

// A corner of an obstacle, in the coordinates that decide on which side of it a line passes.
struct corner {
    double part; // x as a fraction of the length
    double y;
};

// The height of a line of a beam over a corner; below 0 if it passes below the corner.
static double line_height_over(const struct raim_beam *beam, int line, struct corner corner)
{
    return beam->starts[line] + (beam->ends[line] - beam->starts[line]) * corner.part - corner.y;
}

static void set_corners(struct raim_beam *beam, int count, const double *starts, const double *ends)
{
    beam->count = count;
    memcpy(beam->starts, starts, (size_t)count * sizeof *starts);
    memcpy(beam->ends, ends, (size_t)count * sizeof *ends);
}

static void copy_beam(struct raim_beam *beam, const struct raim_beam *from)
{
    set_corners(beam, from->count, from->starts, from->ends);
}

// Keeps the lines that pass a corner on one side: 1 is its left, -1 its right. Rounding may give a
// sliver more corners than fit; the beam then stays as it is.
static void clip_beam(struct raim_beam *beam, struct corner corner, double side)
{
    double heights[RAIM_BEAM_CORNERS];
    double starts[2 * RAIM_BEAM_CORNERS], ends[2 * RAIM_BEAM_CORNERS];
    int count = 0;
    for (int i = 0; i < beam->count; i++)
        heights[i] = side * line_height_over(beam, i, corner) - RAIM_STABBING_LINES_TOUCH;
    for (int i = 0; i < beam->count; i++) {
        const int next = i + 1 < beam->count ? i + 1 : 0;
        if (heights[i] > 0) {
            starts[count] = beam->starts[i];
            ends[count++] = beam->ends[i];
        }
        if ((heights[i] > 0) != (heights[next] > 0)) {
            const double part = heights[i] / (heights[i] - heights[next]);
            starts[count] = beam->starts[i] + (beam->starts[next] - beam->starts[i]) * part;
            ends[count++] = beam->ends[i] + (beam->ends[next] - beam->ends[i]) * part;
        }
    }
    if (count > RAIM_BEAM_CORNERS)
        return;
    set_corners(beam, count, starts, ends);
}

// Begins a beam with all lines that meet both discs, and a few more.
static void begin_beam(struct raim_beam *beam, const struct raim_stabbing_lines *lines,
                       const struct raim_stabbing_lines_end *from,
                       const struct raim_stabbing_lines_end *to)
{
    // The union of two boxes, because either end may be the round one, and its convex hull.
    const double a = from->reach / lines->cosine, b = to->reach / lines->cosine;
    const double c = a + from->radius / lines->cosine, d = b + to->radius / lines->cosine;
    // The outermost lines midway touch both discs: on one side, or on opposite sides when one disc
    // is much larger and the lines are steep.
    const double radius = fmax(from->radius, to->radius);
    const double sum = from->reach + to->reach + radius;
    const double difference = fabs(to->reach - from->reach) + radius;
    const double sine = difference / lines->length; // of those on the same side
    const double top = fmax(sum / sqrt(1 - sine * sine), difference / lines->cosine);
    // This bound cuts off the two corners on one side.
    if (from->radius > 0 && to->radius > 0) {
        const double e = fmin(a, top - d), f = fmin(b, top - c);
        set_corners(beam, 8, (double[]){-e, a, c, c, e, -a, -c, -c},
                    (double[]){-d, -d, -b, f, d, d, b, -f});
        return;
    }
    const double e = fmin(c, top - d), f = fmin(d, top - c);
    set_corners(beam, 6, (double[]){-e, c, c, e, -c, -c}, (double[]){-d, -d, f, d, d, -f});
}

bool raim_stabbing_lines_begin(struct raim_stabbing_lines *lines,
                               const struct raim_stabbing_lines_end *from,
                               const struct raim_stabbing_lines_end *to)
{
    const raim_vec2 way = raim_vec2_sub(to->centre, from->centre);
    const double length = raim_vec2_length(way);
    const double both = from->reach + to->reach + fmax(from->radius, to->radius);
    if (both > max_sine * length || length == 0)
        return false;
    lines->from = from->centre;
    lines->along = raim_vec2_scale(way, 1 / length);
    lines->length = length;
    const double sine = both / length;
    lines->cosine = sqrt(1 - sine * sine);
    lines->first = from->reach + from->radius;
    lines->last = length - to->reach - to->radius;
    lines->width = fmax(from->reach + from->radius, to->reach + to->radius);
    lines->count = 1;
    begin_beam(&lines->beams[0], lines, from, to);
    return true;
}

// How a beam passes an obstacle: whether some or all of its lines pass all corners on the left, and
// on the right.
struct passage {
    bool left, all_left, right, all_right;
    uint32_t cutting; // a bit for each corner with lines of the beam on both sides
};

static struct passage passage_of(const struct raim_beam *beam, const struct corner *corners,
                                 int count)
{
    struct passage passage = {true, true, true, true, 0};
    // The loop ends early for an obstacle that blocks all lines.
    for (int c = 0; c < count && (passage.left || passage.right); c++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < beam->count; i++) {
            const double height = line_height_over(beam, i, corners[c]);
            low = height < low ? height : low;
            high = height > high ? height : high;
        }
        passage.left &= high > RAIM_STABBING_LINES_TOUCH;
        passage.all_left &= low > RAIM_STABBING_LINES_TOUCH;
        passage.right &= low < -RAIM_STABBING_LINES_TOUCH;
        passage.all_right &= high < -RAIM_STABBING_LINES_TOUCH;
        if (low <= RAIM_STABBING_LINES_TOUCH && high >= -RAIM_STABBING_LINES_TOUCH)
            passage.cutting |= (uint32_t)1 << c;
    }
    return passage;
}

static void clip_beam_at_corners(struct raim_beam *beam, const struct corner *corners,
                                 uint32_t cutting, double side)
{
    for (int i = 0; cutting >> i != 0; i++)
        if ((cutting >> i & 1) != 0)
            clip_beam(beam, corners[i], side);
}

static void remove_beam(struct raim_stabbing_lines *lines, int index)
{
    if (index != --lines->count)
        copy_beam(&lines->beams[index], &lines->beams[lines->count]);
}

// Reduces a beam to its parts that pass all corners on the left and all corners on the right.
static void split(struct raim_stabbing_lines *lines, int index, const struct corner *corners,
                  int count)
{
    struct raim_beam *beam = &lines->beams[index];
    const struct passage passage = passage_of(beam, corners, count);
    if (passage.all_left || passage.all_right)
        return;
    if (passage.left && passage.right) {
        if (lines->count == RAIM_STABBING_LINES_BEAMS)
            return;
        struct raim_beam *right = &lines->beams[lines->count];
        copy_beam(right, beam);
        clip_beam_at_corners(right, corners, passage.cutting, -1);
        lines->count += right->count > 0;
    }
    if (passage.left)
        clip_beam_at_corners(beam, corners, passage.cutting, 1);
    else if (passage.right)
        clip_beam_at_corners(beam, corners, passage.cutting, -1);
    if ((!passage.left && !passage.right) || beam->count == 0)
        remove_beam(lines, index);
}

void raim_stabbing_lines_block(struct raim_stabbing_lines *lines, const raim_polygon *obstacle,
                               bool starts_in_front, bool ends_behind)
{
    struct shape shape; // not cleared, either
    shape.count = obstacle->count;
    for (int i = 0; i < obstacle->count; i++)
        shape.corners[i] = to_frame(lines, obstacle->points[i]);
    if (!starts_in_front)
        clip_shape(&shape, lines->first, 1);
    if (!ends_behind)
        clip_shape(&shape, lines->last, -1);
    if (shape.count == 0)
        return;
    struct corner corners[SHAPE_CORNERS];
    for (int i = 0; i < shape.count; i++)
        corners[i] = (struct corner){shape.corners[i].x / lines->length, shape.corners[i].y};
    // Backwards, because a beam that a split appends or moves into a gap has been split already.
    for (int i = lines->count - 1; i >= 0; i--)
        split(lines, i, corners, shape.count);
}

bool raim_stabbing_lines_may_pass(const struct raim_stabbing_lines *lines, raim_vec2 point,
                                  double distance)
{
    const raim_vec2 place = to_frame(lines, point);
    const struct corner at = {place.x / lines->length, place.y};
    const double most = distance / lines->cosine;
    for (int i = 0; i < lines->count; i++) {
        const struct raim_beam *beam = &lines->beams[i];
        bool is_above = true, is_below = true;
        for (int corner = 0; corner < beam->count; corner++) {
            const double height = line_height_over(beam, corner, at);
            is_above &= height > most;
            is_below &= height < -most;
        }
        if (!is_above && !is_below)
            return true;
    }
    return false;
}

// Finds the slopes of a beam's lines through a point. Returns false when there are none.
static bool slopes_through(const struct raim_beam *beam, struct corner point, double ahead,
                           struct raim_slope_interval *interval)
{
    double heights[RAIM_BEAM_CORNERS];
    *interval = (struct raim_slope_interval){INFINITY, -INFINITY};
    for (int i = 0; i < beam->count; i++)
        heights[i] = line_height_over(beam, i, point);
    for (int i = 0; i < beam->count; i++) {
        const int next = i + 1 < beam->count ? i + 1 : 0;
        if ((heights[i] > 0) == (heights[next] > 0))
            continue;
        const double part = heights[i] / (heights[i] - heights[next]);
        const double end = beam->ends[i] + (beam->ends[next] - beam->ends[i]) * part;
        const double slope = (end - point.y) / ahead;
        interval->low = slope < interval->low ? slope : interval->low;
        interval->high = slope > interval->high ? slope : interval->high;
    }
    return interval->low <= interval->high;
}

void raim_stabbing_lines_slopes(const struct raim_stabbing_lines *lines, raim_vec2 point,
                                struct raim_slope_set *slopes)
{
    slopes->point = to_frame(lines, point);
    slopes->cosine = lines->cosine;
    slopes->count = 0;
    const struct corner at = {slopes->point.x / lines->length, slopes->point.y};
    for (int i = 0; i < lines->count; i++)
        slopes->count += slopes_through(&lines->beams[i], at, lines->length - slopes->point.x,
                                        &slopes->intervals[slopes->count]);
}

bool raim_slope_set_hits_circle(const struct raim_slope_set *slopes,
                                const struct raim_stabbing_lines *lines, raim_vec2 centre,
                                double radius)
{
    const raim_vec2 way = raim_vec2_sub(to_frame(lines, centre), slopes->point);
    const double half = radius / slopes->cosine;
    for (int i = 0; i < slopes->count; i++)
        if (slopes->intervals[i].low * way.x <= way.y + half &&
            slopes->intervals[i].high * way.x >= way.y - half)
            return true;
    return false;
}
