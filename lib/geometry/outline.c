// SPDX-License-Identifier: MIT
// Validates outlines and decomposes them into convex pieces.
#include "outline.h"

#include <assert.h>

// A point nearer to a line than this, in units, counts as lying on it.
static const double on_line = 1e-9;

enum bend {
    BEND_LEFT,
    BEND_STRAIGHT,
    BEND_BAD, // to the right, back, or too small for a corner and too large for a straight line
};

static enum bend bend_at(raim_vec2 before, raim_vec2 corner, raim_vec2 after)
{
    const raim_vec2 in = raim_vec2_sub(corner, before), out = raim_vec2_sub(after, corner);
    const double cross = raim_vec2_cross(in, out);
    const bool onward = raim_vec2_dot(in, out) > 0;
    if (onward && fabs(cross) <= on_line * raim_vec2_length(raim_vec2_sub(after, before)))
        return BEND_STRAIGHT;
    const double lengths = raim_vec2_length(in) * raim_vec2_length(out);
    return cross > (onward ? RAIM_MIN_POLYGON_TURN * lengths : 0) ? BEND_LEFT : BEND_BAD;
}

static double point_to_segment(raim_vec2 point, raim_vec2 a, raim_vec2 b)
{
    const raim_vec2 along = raim_vec2_sub(b, a);
    const double part =
        raim_vec2_dot(raim_vec2_sub(point, a), along) / raim_vec2_length_squared(along);
    const raim_vec2 nearest = raim_vec2_mad(a, along, fmin(1, fmax(0, part)));
    return raim_vec2_length(raim_vec2_sub(point, nearest));
}

static double side_of(raim_vec2 a, raim_vec2 b, raim_vec2 point)
{
    return raim_vec2_cross(raim_vec2_sub(b, a), raim_vec2_sub(point, a));
}

// Returns true when c and d lie strictly on opposite sides of the line through a and b.
static bool divides(raim_vec2 a, raim_vec2 b, raim_vec2 c, raim_vec2 d)
{
    const double on = on_line * raim_vec2_length(raim_vec2_sub(b, a));
    const double c_side = side_of(a, b, c), d_side = side_of(a, b, d);
    return (c_side > on && d_side < -on) || (c_side < -on && d_side > on);
}

// Returns true when two segments cross in their interiors.
static bool crosses(raim_vec2 a, raim_vec2 b, raim_vec2 c, raim_vec2 d)
{
    return divides(a, b, c, d) && divides(c, d, a, b);
}

static bool touches(raim_vec2 a, raim_vec2 b, raim_vec2 c, raim_vec2 d)
{
    return point_to_segment(a, c, d) < RAIM_MIN_POLYGON_EDGE ||
           point_to_segment(b, c, d) < RAIM_MIN_POLYGON_EDGE ||
           point_to_segment(c, a, b) < RAIM_MIN_POLYGON_EDGE ||
           point_to_segment(d, a, b) < RAIM_MIN_POLYGON_EDGE || crosses(a, b, c, d);
}

static struct raim_outline_problem problem_of(enum raim_outline_error error, int a, int b)
{
    return (struct raim_outline_problem){error, a < b ? a : b, a < b ? b : a};
}

static struct raim_outline_problem check_corners(const raim_vec2 *points, int count)
{
    for (int i = 0; i < count; i++)
        // The negated comparison rejects NaN.
        if (!(fabs(points[i].x) <= RAIM_POLYGON_REACH && fabs(points[i].y) <= RAIM_POLYGON_REACH))
            return problem_of(RAIM_OUTLINE_NOT_FINITE, i, i);
    for (int i = 0; i < count; i++)
        if (raim_vec2_length(raim_vec2_sub(points[(i + 1) % count], points[i])) <
            RAIM_MIN_POLYGON_EDGE)
            return problem_of(RAIM_OUTLINE_SHORT_EDGE, i, i);
    for (int i = 0; i < count; i++) {
        const int j = (i + 1) % count;
        const raim_vec2 in = raim_vec2_sub(points[j], points[i]);
        const raim_vec2 out = raim_vec2_sub(points[(j + 1) % count], points[j]);
        const double lengths = raim_vec2_length(in) * raim_vec2_length(out);
        if (fabs(raim_vec2_cross(in, out)) < RAIM_MIN_POLYGON_TURN * lengths)
            return problem_of(RAIM_OUTLINE_COLLINEAR, i, j);
    }
    return problem_of(RAIM_OUTLINE_OK, 0, 0);
}

static struct raim_outline_problem check_crossings(const raim_vec2 *points, int count)
{
    for (int i = 0; i + 2 < count; i++)
        // The last edge is a neighbour of the first.
        for (int j = i + 2; j < count - (i == 0); j++)
            if (touches(points[i], points[i + 1], points[j], points[(j + 1) % count]))
                return problem_of(RAIM_OUTLINE_CROSSING, i, j);
    return problem_of(RAIM_OUTLINE_OK, 0, 0);
}

// Returns twice the signed area, which is positive for a counter-clockwise outline.
static double doubled_area(const raim_vec2 *points, int count)
{
    double sum = 0;
    for (int i = 1; i + 1 < count; i++)
        sum += side_of(points[0], points[i], points[i + 1]);
    return sum;
}

static void begin_cut(struct raim_outline_work *cut, const raim_vec2 *points, int count)
{
    int first = 0;
    for (int i = 1; i < count; i++)
        if (points[i].x < points[first].x ||
            (points[i].x == points[first].x && points[i].y < points[first].y))
            first = i;
    const int step = doubled_area(points, count) < 0 ? count - 1 : 1;
    for (int i = 0; i < count; i++)
        cut->points[i] = points[(first + i * step) % count];
    cut->count = count;
    cut->diagonal_count = 0;
    cut->piece_count = 0;
}

// Returns true when the diagonal from i to j starts into the interior.
static bool starts_inside(const struct raim_outline_work *cut, int i, int j)
{
    const raim_vec2 corner = cut->points[i], to = cut->points[j];
    const raim_vec2 before = cut->points[(i + cut->count - 1) % cut->count];
    const raim_vec2 after = cut->points[(i + 1) % cut->count];
    const bool left_of_in = side_of(before, corner, to) > 0;
    const bool left_of_out = side_of(corner, after, to) > 0;
    return side_of(before, corner, after) > 0 ? left_of_in && left_of_out
                                              : left_of_in || left_of_out;
}

// Returns true when the segment between two points lies in the interior and touches no other point
// or edge.
static bool is_diagonal(const struct raim_outline_work *cut, int i, int j)
{
    if (!starts_inside(cut, i, j))
        return false;
    const raim_vec2 a = cut->points[i], b = cut->points[j];
    for (int k = 0; k < cut->count; k++) {
        const int next = (k + 1) % cut->count;
        if (k != i && k != j && point_to_segment(cut->points[k], a, b) <= on_line)
            return false;
        if (k != i && k != j && next != i && next != j &&
            crosses(a, b, cut->points[k], cut->points[next]))
            return false;
    }
    return true;
}

// Returns the length of a triangle's longest side divided by its height, or INFINITY when a corner
// of the triangle is degenerate.
static double thinness(const struct raim_outline_work *cut, int i, int j, int k)
{
    const raim_vec2 a = cut->points[i], b = cut->points[j], c = cut->points[k];
    if (bend_at(a, b, c) != BEND_LEFT || bend_at(b, c, a) != BEND_LEFT ||
        bend_at(c, a, b) != BEND_LEFT)
        return INFINITY;
    const double longest =
        fmax(raim_vec2_distance_squared(a, b),
             fmax(raim_vec2_distance_squared(b, c), raim_vec2_distance_squared(c, a)));
    return longest / side_of(a, b, c);
}

// Finds the triangulation with the least total thinness (Klincsek, 1980). Returns false when every
// triangulation has a degenerate triangle.
static bool choose_triangles(struct raim_outline_work *cut)
{
    const int count = cut->count;
    for (int i = 0; i + 1 < count; i++)
        cut->cost[i][i + 1] = 0;
    for (int span = 2; span < count; span++) {
        for (int i = 0, j = span; j < count; i++, j++) {
            cut->cost[i][j] = INFINITY;
            if (span < count - 1 && !is_diagonal(cut, i, j))
                continue;
            for (int k = i + 1; k < j; k++) {
                double cost = cut->cost[i][k] + cut->cost[k][j];
                if (cost < cut->cost[i][j])
                    cost += thinness(cut, i, k, j);
                if (cost < cut->cost[i][j]) {
                    cut->cost[i][j] = cost;
                    cut->apex[i][j] = (uint8_t)k;
                }
            }
        }
    }
    return cut->cost[0][count - 1] < INFINITY;
}

static void set_edge_owner(struct raim_outline_work *cut, int index)
{
    const struct raim_outline_piece *piece = &cut->pieces[index];
    for (int i = 0; i < piece->count; i++)
        cut->owner[piece->corners[i]][piece->corners[(i + 1) % piece->count]] = (uint8_t)index;
}

// Stores the chosen triangles and the diagonals of the part between two points.
static void collect_triangles(struct raim_outline_work *cut, int i, int j)
{
    if (j - i < 2)
        return;
    const int k = cut->apex[i][j];
    cut->pieces[cut->piece_count] =
        (struct raim_outline_piece){{(uint8_t)i, (uint8_t)k, (uint8_t)j}, .count = 3};
    set_edge_owner(cut, cut->piece_count++);
    if (j - i < cut->count - 1)
        cut->diagonals[cut->diagonal_count++] = (struct raim_outline_diagonal){
            (uint8_t)i, (uint8_t)j,
            raim_vec2_length(raim_vec2_sub(cut->points[j], cut->points[i]))};
    collect_triangles(cut, i, k);
    collect_triangles(cut, k, j);
}

static enum bend corner_bend(const struct raim_outline_work *cut,
                             const struct raim_outline_piece *piece, int i)
{
    const int before = piece->corners[(i + piece->count - 1) % piece->count];
    const int after = piece->corners[(i + 1) % piece->count];
    return bend_at(cut->points[before], cut->points[piece->corners[i]], cut->points[after]);
}

static bool is_cut_edge(const struct raim_outline_work *cut, const struct raim_outline_piece *piece,
                        int i)
{
    return piece->corners[(i + 1) % piece->count] != (piece->corners[i] + 1) % cut->count;
}

// A side of a finished piece starts at a proper corner and runs over any collinear ones. Returns
// the number of edges that form it, and sets `seam` when all of them are cuts.
static int side_from(const struct raim_outline_work *cut, const struct raim_outline_piece *piece,
                     int corner, bool *seam)
{
    int length = 0;
    *seam = true;
    do {
        *seam = *seam && is_cut_edge(cut, piece, (corner + length) % piece->count);
        length++;
    } while (corner_bend(cut, piece, (corner + length) % piece->count) == BEND_STRAIGHT);
    return length;
}

// Returns true when a cut is part of a longer side of this piece that is not a seam.
static bool is_absorbed(const struct raim_outline_work *cut, const struct raim_outline_piece *piece,
                        int from)
{
    int corner = 0;
    while (piece->corners[corner] != from)
        corner++;
    while (corner_bend(cut, piece, corner) == BEND_STRAIGHT)
        corner = (corner + piece->count - 1) % piece->count;
    bool seam;
    side_from(cut, piece, corner, &seam);
    return !seam;
}

// A sweep may slip through a cut that is a seam of neither piece, so every cut must be a seam of at
// least one.
static bool keeps_seams(const struct raim_outline_work *cut, const struct raim_outline_piece *piece)
{
    for (int i = 0; i < piece->count; i++) {
        const int from = piece->corners[i], to = piece->corners[(i + 1) % piece->count];
        if (is_cut_edge(cut, piece, i) && is_absorbed(cut, piece, from) &&
            is_absorbed(cut, &cut->pieces[cut->owner[to][from]], to))
            return false;
    }
    return true;
}

static bool is_good_piece(const struct raim_outline_work *cut,
                          const struct raim_outline_piece *piece, bool allow_straight)
{
    int corners = 0;
    for (int i = 0; i < piece->count; i++) {
        const enum bend bend = corner_bend(cut, piece, i);
        if (bend == BEND_BAD || (bend == BEND_STRAIGHT && !allow_straight))
            return false;
        corners += bend == BEND_LEFT;
    }
    return corners <= RAIM_MAX_POLYGON_POINTS &&
           (corners == piece->count || keeps_seams(cut, piece));
}

// Appends the corners of a piece, counter-clockwise, from the one after `from` up to `to`.
static void append(struct raim_outline_piece *piece, const struct raim_outline_piece *other,
                   int from, int to)
{
    int i = 0;
    while (other->corners[i] != from)
        i++;
    do {
        i = (i + 1) % other->count;
        piece->corners[piece->count++] = other->corners[i];
    } while (other->corners[i] != to);
}

// Removes a diagonal when the merged piece is valid (Hertel and Mehlhorn, 1983).
static void merge_over(struct raim_outline_work *cut, const struct raim_outline_diagonal *diagonal,
                       bool allow_straight)
{
    uint8_t *left = &cut->owner[diagonal->from][diagonal->to];
    uint8_t *right = &cut->owner[diagonal->to][diagonal->from];
    if (*left == *right)
        return;
    struct raim_outline_piece merged = {.count = 0};
    append(&merged, &cut->pieces[*left], diagonal->to, diagonal->from);
    append(&merged, &cut->pieces[*right], diagonal->from, diagonal->to);
    if (!is_good_piece(cut, &merged, allow_straight))
        return;
    cut->pieces[*left] = merged;
    cut->pieces[*right].count = 0;
    set_edge_owner(cut, *left);
    *right = *left;
}

static void sort_shortest_first(struct raim_outline_diagonal *diagonals, int count)
{
    for (int i = 1; i < count; i++) {
        const struct raim_outline_diagonal diagonal = diagonals[i];
        int j = i;
        for (; j > 0 && diagonals[j - 1].length > diagonal.length; j--)
            diagonals[j] = diagonals[j - 1];
        diagonals[j] = diagonal;
    }
}

// Merges that leave only proper corners come first: a collinear corner is the end of a cut that the
// merged piece has no use for. The second pass allows collinear corners.
static void merge_pieces(struct raim_outline_work *cut)
{
    sort_shortest_first(cut->diagonals, cut->diagonal_count);
    for (int i = 0; i < cut->diagonal_count; i++)
        merge_over(cut, &cut->diagonals[i], false);
    for (int i = 0; i < cut->diagonal_count; i++)
        merge_over(cut, &cut->diagonals[i], true);
}

static void make_polygon(const struct raim_outline_work *cut,
                         const struct raim_outline_piece *piece, raim_polygon *polygon)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    uint32_t seams = 0;
    int count = 0, corner = 0;
    while (corner_bend(cut, piece, corner) == BEND_STRAIGHT)
        corner++;
    while (corner < piece->count) {
        bool seam;
        points[count] = cut->points[piece->corners[corner]];
        corner += side_from(cut, piece, corner, &seam);
        seams |= (uint32_t)seam << count;
        count++;
    }
    raim_polygon_init_piece(polygon, points, count, seams);
}

struct raim_outline_problem raim_outline_cut(const raim_vec2 *points, int count,
                                             raim_polygon *pieces, int *piece_count,
                                             struct raim_outline_work *cut)
{
    *piece_count = 0;
    if (count < 3)
        return problem_of(RAIM_OUTLINE_TOO_FEW_POINTS, 0, 0);
    if (count > RAIM_MAX_OUTLINE_POINTS)
        return problem_of(RAIM_OUTLINE_TOO_MANY_POINTS, 0, 0);
    struct raim_outline_problem problem = check_corners(points, count);
    if (problem.error == RAIM_OUTLINE_OK)
        problem = check_crossings(points, count);
    if (problem.error != RAIM_OUTLINE_OK)
        return problem;
    if (fabs(doubled_area(points, count)) < 2 * RAIM_MIN_POLYGON_AREA)
        return problem_of(RAIM_OUTLINE_SMALL_AREA, 0, 0);

    begin_cut(cut, points, count);
    if (!choose_triangles(cut))
        return problem_of(RAIM_OUTLINE_TOO_FLAT, 0, 0);
    collect_triangles(cut, 0, count - 1);
    merge_pieces(cut);
    for (int i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].count > 0)
            make_polygon(cut, &cut->pieces[i], &pieces[(*piece_count)++]);
    return problem;
}

const char *raim_outline_error_text(enum raim_outline_error error)
{
#define AS_TEXT(value) #value
#define NUMBER(macro) AS_TEXT(macro)
    static const char *const texts[] = {
        [RAIM_OUTLINE_OK] = "is valid",
        [RAIM_OUTLINE_TOO_FEW_POINTS] = "has fewer than 3 points",
        [RAIM_OUTLINE_TOO_MANY_POINTS] = "has more than " NUMBER(RAIM_MAX_OUTLINE_POINTS) " points",
        [RAIM_OUTLINE_NOT_FINITE] = "has a point that is not finite or too far out",
        [RAIM_OUTLINE_SHORT_EDGE] =
            "has two adjacent points closer than " NUMBER(RAIM_MIN_POLYGON_EDGE) " units",
        [RAIM_OUTLINE_COLLINEAR] = "has a point on the line through its neighbours",
        [RAIM_OUTLINE_CROSSING] = "crosses or touches itself",
        [RAIM_OUTLINE_SMALL_AREA] =
            "covers less than " NUMBER(RAIM_MIN_POLYGON_AREA) " square units",
        [RAIM_OUTLINE_TOO_FLAT] = "has points too nearly on one line to be cut",
    };
#undef NUMBER
#undef AS_TEXT
    assert((size_t)error < sizeof texts / sizeof *texts);
    return texts[error];
}
