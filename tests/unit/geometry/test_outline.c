// SPDX-License-Identifier: MIT
// Tests of the convex decomposition. The oracles are areas, crossing parities and distances to
// segments.
#include "chance_outlines.h"
#include "outline.h"
#include "sat.h"
#include "sweep.h"
#include "test.h"

#define P(x, y) ((raim_vec2){x, y})
#define POINTS(...)                                                                                \
    (const raim_vec2[]){__VA_ARGS__}, (int)(sizeof((raim_vec2[]){__VA_ARGS__}) / sizeof(raim_vec2))

struct shape {
    raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
    int count;
    raim_polygon pieces[RAIM_MAX_PIECES];
    int piece_count;
};

static struct raim_outline_work work;

static struct raim_outline_problem cut(struct shape *shape)
{
    return raim_outline_cut(shape->points, shape->count, shape->pieces, &shape->piece_count, &work);
}

static double distance_to(const struct shape *shape, raim_vec2 point)
{
    return slow_outline_distance(shape->points, shape->count, point);
}

// A valid outline and its pieces.
static void chance_shape(struct shape *shape, int most)
{
    do
        shape->count = chance_simple_outline(shape->points, most);
    while (cut(shape).error != RAIM_OUTLINE_OK);
}

static int pieces_of(const raim_vec2 *points, int count)
{
    raim_polygon pieces[RAIM_MAX_PIECES];
    int piece_count;
    assert_int_equal(raim_outline_cut(points, count, pieces, &piece_count, &work).error,
                     RAIM_OUTLINE_OK);
    return piece_count;
}

// Tests both windings and every first point: the problem must name the same two edges.
static void assert_crossing(const raim_vec2 *points, int count, int a, int b)
{
    for (int first = 0; first < count; first++) {
        for (int winding = 0; winding < 2; winding++) {
            struct shape shape = {.count = count};
            for (int i = 0; i < count; i++)
                shape.points[winding == 0 ? i : count - 1 - i] = points[(first + i) % count];
            const struct raim_outline_problem problem = cut(&shape);
            assert_int_equal(problem.error, RAIM_OUTLINE_CROSSING);
            assert_int_equal(shape.piece_count, 0);
            int edges[2] = {(a - first + count) % count, (b - first + count) % count};
            for (int i = 0; i < 2 && winding == 1; i++)
                edges[i] = (2 * count - 2 - edges[i]) % count;
            assert_int_equal(problem.first_edge, edges[0] < edges[1] ? edges[0] : edges[1]);
            assert_int_equal(problem.second_edge, edges[0] < edges[1] ? edges[1] : edges[0]);
        }
    }
}

TEST(crossing_edges_are_named_as_the_caller_counts)
{
    assert_crossing(POINTS(P(0, 0), P(4, 4), P(4, 0), P(0, 4)), 0, 2);
    assert_crossing(POINTS(P(0, 0), P(4, 4), P(6, 2), P(4, 0), P(0, 4)), 0, 3);
}

TEST(touching_is_crossing)
{
    raim_polygon pieces[RAIM_MAX_PIECES];
    int count;
    const raim_vec2 onto_edge[] = {{0, 0}, {9, 0}, {9, 9}, {4, 0}, {0, 9}};
    struct raim_outline_problem problem = raim_outline_cut(onto_edge, 5, pieces, &count, &work);
    assert_int_equal(problem.error, RAIM_OUTLINE_CROSSING);
    assert_int_equal(problem.first_edge, 0);
    assert_int_equal(problem.second_edge, 2);
    const raim_vec2 nearly[] = {{0, 0}, {9, 0}, {9, 9}, {4, 0.0009}, {0, 9}};
    assert_int_equal(raim_outline_cut(nearly, 5, pieces, &count, &work).error,
                     RAIM_OUTLINE_CROSSING);
    const raim_vec2 apart[] = {{0, 0}, {9, 0}, {9, 9}, {4, 0.0011}, {0, 9}};
    assert_int_equal(raim_outline_cut(apart, 5, pieces, &count, &work).error, RAIM_OUTLINE_OK);
    const raim_vec2 same_point[] = {{0, 0}, {9, 0}, {5, 5}, {9, 9}, {0, 9}, {5, 5}};
    problem = raim_outline_cut(same_point, 6, pieces, &count, &work);
    assert_int_equal(problem.error, RAIM_OUTLINE_CROSSING);
    assert_int_equal(problem.first_edge, 1);
    assert_int_equal(problem.second_edge, 4);
}

static void assert_problem(const raim_vec2 *points, int count, enum raim_outline_error error,
                           int first_edge, int second_edge)
{
    raim_polygon pieces[RAIM_MAX_PIECES];
    int piece_count = -1;
    const struct raim_outline_problem problem =
        raim_outline_cut(points, count, pieces, &piece_count, &work);
    assert_int_equal(problem.error, error);
    assert_int_equal(problem.first_edge, first_edge);
    assert_int_equal(problem.second_edge, second_edge);
    assert_int_equal(piece_count, 0);
}

TEST(degenerate_outlines_are_rejected)
{
    const raim_vec2 many[RAIM_MAX_OUTLINE_POINTS + 1] = {{0, 0}};
    for (int count = -1; count < 3; count++)
        assert_problem(many, count, RAIM_OUTLINE_TOO_FEW_POINTS, 0, 0);
    assert_problem(many, RAIM_MAX_OUTLINE_POINTS + 1, RAIM_OUTLINE_TOO_MANY_POINTS, 0, 0);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1e7};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_problem(POINTS(P(0, 0), P(bad[i], 0), P(0, 4)), RAIM_OUTLINE_NOT_FINITE, 1, 1);
        assert_problem(POINTS(P(0, 0), P(4, 0), P(0, bad[i])), RAIM_OUTLINE_NOT_FINITE, 2, 2);
    }
    assert_problem(POINTS(P(0, 0), P(4, 0), P(4, 0), P(0, 4)), RAIM_OUTLINE_SHORT_EDGE, 1, 1);
    assert_problem(POINTS(P(0, 0), P(4, 0), P(0, 4), P(0, 5e-4)), RAIM_OUTLINE_SHORT_EDGE, 3, 3);
    assert_problem(POINTS(P(0, 0), P(2, 0), P(4, 0), P(0, 4)), RAIM_OUTLINE_COLLINEAR, 0, 1);
    assert_problem(POINTS(P(2, 0), P(4, 0), P(0, 4), P(0, 0)), RAIM_OUTLINE_COLLINEAR, 0, 3);
    assert_problem(POINTS(P(0, 0), P(9, 0), P(4, 0), P(4, 4)), RAIM_OUTLINE_COLLINEAR, 0, 1);
    assert_problem(POINTS(P(0, 0), P(1, 0), P(0, 1.9)), RAIM_OUTLINE_SMALL_AREA, 0, 0);
}

TEST(a_neck_without_a_trustworthy_corner_is_rejected)
{
    // The long edge and the notch form a neck that is thinner than the smallest turn.
    assert_problem(POINTS(P(0, -999), P(4000, 0), P(8000, -999), P(8000, 0.0016), P(0, 0.0016)),
                   RAIM_OUTLINE_TOO_FLAT, 0, 0);
    assert_int_equal(
        pieces_of(POINTS(P(0, -999), P(4000, 0), P(8000, -999), P(8000, 0.016), P(0, 0.016))), 3);
}

TEST(letters_take_as_few_pieces_as_can_be)
{
    const raim_vec2 l[] = {{0, 0}, {4, 0}, {4, 2}, {2, 2}, {2, 4}, {0, 4}};
    const raim_vec2 t[] = {{1, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 3}, {0, 3}, {0, 2}, {1, 2}};
    const raim_vec2 u[] = {{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    const raim_vec2 plus[] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                              {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
    const raim_vec2 arrow[] = {{0, 0}, {4, 2}, {0, 4}, {1, 2}};
    assert_int_equal(pieces_of(l, 6), 2);
    assert_int_equal(pieces_of(t, 8), 2);
    assert_int_equal(pieces_of(u, 8), 3);
    assert_int_equal(pieces_of(plus, 12), 3);
    assert_int_equal(pieces_of(arrow, 4), 2);
    // A cut in two would be a seam of neither piece, because each continues straight at one end of
    // it.
    const raim_vec2 s[] = {{0, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {1, 2}, {1, 1}, {0, 1}};
    assert_int_equal(pieces_of(s, 8), 3);
}

TEST(convex_outlines_stay_whole_up_to_the_limit)
{
    for (int count = 3; count <= RAIM_MAX_OUTLINE_POINTS; count++) {
        raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
        for (int i = 0; i < count; i++)
            points[i] = P(200 * cos(i * 2 * acos(-1) / count), 200 * sin(i * 2 * acos(-1) / count));
        const int pieces = pieces_of(points, count);
        assert_int_equal(pieces == 1, count <= RAIM_MAX_POLYGON_POINTS);
        assert_true(pieces <= 8);
    }
}

static bool is_same(const raim_polygon *a, const raim_polygon *b)
{
    return a->count == b->count && a->seams == b->seams &&
           memcmp(a->points, b->points, (size_t)a->count * sizeof *a->points) == 0 &&
           memcmp(a->normals, b->normals, (size_t)a->count * sizeof *a->normals) == 0 &&
           memcmp(&a->bounds, &b->bounds, sizeof a->bounds) == 0;
}

static void assert_same_whatever_the_order(const struct shape *shape)
{
    struct shape other = {.count = shape->count};
    const int first = chance_int(0, shape->count - 1);
    for (int i = 0; i < shape->count; i++)
        other.points[i] = shape->points[(first + shape->count - i) % shape->count];
    assert_int_equal(cut(&other).error, RAIM_OUTLINE_OK);
    assert_int_equal(other.piece_count, shape->piece_count);
    for (int i = 0; i < shape->piece_count; i++)
        assert_true(is_same(&other.pieces[i], &shape->pieces[i]));
}

static void assert_convex(const raim_polygon *piece)
{
    assert_in_range(piece->count, 3, RAIM_MAX_POLYGON_POINTS);
    double turned = 0;
    for (int i = 0; i < piece->count; i++) {
        const raim_vec2 a = piece->points[i];
        const raim_vec2 b = piece->points[(i + 1) % piece->count];
        const raim_vec2 c = piece->points[(i + 2) % piece->count];
        const double sine = slow_side(a, b, c);
        const double cosine = raim_vec2_dot(raim_vec2_sub(b, a), raim_vec2_sub(c, b));
        assert_true(sine > 0);
        assert_true(atan2(sine, cosine) > 0.99e-6);
        turned += atan2(sine, cosine);
    }
    assert_true(fabs(turned - 2 * acos(-1)) < 1e-6);
}

// The interior is in front of a seam. Any other edge has the exterior in front of some part of it.
static void assert_seams_are_inside(const struct shape *shape, const raim_polygon *piece)
{
    assert_int_equal(piece->seams >> piece->count, 0);
    for (int i = 0; i < piece->count; i++) {
        const raim_vec2 a = piece->points[i], b = piece->points[(i + 1) % piece->count];
        double on_outline = 0;
        for (int j = 0; j < shape->count; j++) {
            const raim_vec2 c = shape->points[j], d = shape->points[(j + 1) % shape->count];
            if (slow_segment_distance(a, b, c) < 1e-8 && slow_segment_distance(a, b, d) < 1e-8)
                on_outline += sqrt(raim_vec2_distance_squared(c, d));
        }
        assert_int_equal(raim_polygon_is_seam(piece, i), on_outline == 0);
    }
}

static void assert_covers(const struct shape *shape, raim_vec2 point)
{
    const double distance = distance_to(shape, point);
    int inside = 0, near = 0;
    for (int i = 0; i < shape->piece_count; i++) {
        const double piece_distance = slow_distance(&shape->pieces[i], point);
        inside += piece_distance < -2e-9;
        near += piece_distance < 2e-9;
    }
    assert_true(inside <= 1);
    if (distance < -4e-9)
        assert_true(near >= 1);
    if (distance > 4e-9)
        assert_int_equal(inside, 0);
}

static raim_vec2 chance_point(const struct shape *shape)
{
    raim_box box = {shape->points[0], shape->points[0]};
    for (int i = 1; i < shape->count; i++)
        box = raim_box_include(box, shape->points[i]);
    return P(chance_between(box.min.x, box.max.x), chance_between(box.min.y, box.max.y));
}

static bool is_rejection_just(const struct shape *shape, struct raim_outline_problem problem)
{
    const raim_vec2 *points = shape->points;
    const int a = problem.first_edge, b = problem.second_edge, count = shape->count;
    switch (problem.error) {
    case RAIM_OUTLINE_CROSSING:
        return slow_segments_distance(points[a], points[(a + 1) % count], points[b],
                                      points[(b + 1) % count]) < RAIM_MIN_POLYGON_EDGE + 1e-9;
    case RAIM_OUTLINE_COLLINEAR:
    case RAIM_OUTLINE_SHORT_EDGE:
    case RAIM_OUTLINE_SMALL_AREA:
        return true;
    default:
        return false; // TOO_FLAT is possible, but random outlines do not reach it
    }
}

TEST(pieces_cover_the_outline_exactly)
{
    int accepted = 0, concave = 0;
    for (int i = 0; i < chance_rounds(250000); i++) {
        struct shape shape;
        shape.count = chance_simple_outline(shape.points, i % 256 == 0 ? 64 : 9);
        const struct raim_outline_problem problem = cut(&shape);
        if (problem.error != RAIM_OUTLINE_OK) {
            assert_true(is_rejection_just(&shape, problem));
            continue;
        }
        accepted++;
        concave += shape.piece_count > 1;
        double area = 0;
        assert_true(shape.piece_count <= shape.count - 2);
        for (int j = 0; j < shape.piece_count; j++) {
            assert_convex(&shape.pieces[j]);
            assert_seams_are_inside(&shape, &shape.pieces[j]);
            area += slow_doubled_area(shape.pieces[j].points, shape.pieces[j].count);
        }
        const double whole = fabs(slow_doubled_area(shape.points, shape.count));
        assert_true(fabs(area - whole) <= 1e-9 * whole);
        if (i % 4 == 0)
            assert_same_whatever_the_order(&shape);
        assert_covers(&shape, chance_point(&shape));
    }
    assert_true(accepted > chance_rounds(247500));
    assert_true(concave > chance_rounds(125000));
}

static double first_touch(const struct shape *shape, raim_vec2 start, raim_vec2 way, double radius)
{
    double first = RAIM_SWEEP_MISS;
    for (int i = 0; i < shape->piece_count; i++)
        first = fmin(first, raim_sweep_polygon(&shape->pieces[i], start, way, radius));
    return first;
}

// The oracle does not decide paths this near to the outline, in units.
static const double graze = RAIM_MIN_POLYGON_EDGE;

// Finds the fractions at which a straight path crosses an edge or a point of the outline.
static int passings(const struct shape *shape, raim_vec2 start, raim_vec2 way, double *times)
{
    int count = 0;
    times[count++] = 0;
    times[count++] = 1;
    for (int i = 0; i < shape->count; i++) {
        const raim_vec2 a = shape->points[i], b = shape->points[(i + 1) % shape->count];
        const double corner =
            raim_vec2_dot(raim_vec2_sub(a, start), way) / raim_vec2_length_squared(way);
        const double edge = raim_vec2_cross(raim_vec2_sub(a, start), raim_vec2_sub(b, a)) /
                            raim_vec2_cross(way, raim_vec2_sub(b, a));
        if (corner > 0 && corner < 1)
            times[count++] = corner;
        if (edge > 0 && edge < 1)
            times[count++] = edge;
    }
    qsort(times, (size_t)count, sizeof *times, slow_compare_doubles);
    return count;
}

static bool judge_ray(const struct shape *shape, raim_vec2 start, raim_vec2 way)
{
    const double got = first_touch(shape, start, way, 0);
    double times[2 * RAIM_MAX_OUTLINE_POINTS + 2];
    const int count = passings(shape, start, way, times);
    for (int i = 0; i + 1 < count; i++) {
        const double middle = (times[i] + times[i + 1]) / 2;
        if (distance_to(shape, raim_vec2_mad(start, way, middle)) < -graze) {
            assert_true(got < middle);
            break;
        }
    }
    if (got <= 1)
        assert_true(distance_to(shape, raim_vec2_mad(start, way, got)) < graze);
    return got <= 1;
}

TEST(no_ray_slips_through_along_a_seam)
{
    int hits = 0, seams = 0;
    for (int i = 0; i < chance_rounds(40000); i++) {
        struct shape shape;
        chance_shape(&shape, i % 8 == 0 ? 40 : 12);
        const raim_polygon *piece = &shape.pieces[chance_int(0, shape.piece_count - 1)];
        for (int j = 0; j < piece->count; j++) {
            // Casts rays along each edge of a piece, seam or not, close beside it, and slightly
            // askew.
            const raim_vec2 a = piece->points[j], b = piece->points[(j + 1) % piece->count];
            const raim_vec2 along = raim_vec2_sub(b, a);
            const double beside =
                chance_int(0, 1) * chance_between(-1, 1) * pow(10, chance_int(-14, -6));
            const double askew =
                chance_int(0, 1) * chance_between(-1, 1) * pow(10, chance_int(-14, -4));
            raim_vec2 start = raim_vec2_mad(a, along, chance_between(-3, 0.5));
            start = raim_vec2_mad(start, piece->normals[j], beside);
            raim_vec2 way = raim_vec2_scale(along, chance_between(0.1, 6));
            way = raim_vec2_mad(way, piece->normals[j], askew);
            if (chance_int(0, 1) == 1) {
                start = raim_vec2_add(start, way);
                way = raim_vec2_scale(way, -1);
            }
            hits += judge_ray(&shape, start, way);
            seams += raim_polygon_is_seam(piece, j);
        }
        // Casts rays through each corner.
        const raim_vec2 corner = shape.points[chance_int(0, shape.count - 1)];
        const raim_vec2 way = raim_vec2_sub(chance_point(&shape), corner);
        const double nudge =
            chance_int(0, 1) * chance_between(-1, 1) * pow(10, chance_int(-14, -6));
        const raim_vec2 through = P(corner.x - nudge * way.y, corner.y + nudge * way.x);
        judge_ray(&shape, raim_vec2_mad(through, way, -1), raim_vec2_scale(way, 2));
        judge_ray(&shape, through, way);
    }
    assert_true(hits > chance_rounds(40000));
    assert_true(seams > chance_rounds(20000));
}

TEST(circles_and_bullets_meet_the_outline_and_no_seam)
{
    int hits = 0;
    for (int i = 0; i < chance_rounds(40000); i++) {
        struct shape shape;
        chance_shape(&shape, i % 8 == 0 ? 40 : 12);
        for (int j = 0; j < 10; j++) {
            const double radius = chance_between(0.5, 30);
            const raim_vec2 start = chance_point(&shape);
            const raim_vec2 way = raim_vec2_sub(chance_point(&shape), start);
            const double gap = distance_to(&shape, start) - radius;
            const double got = first_touch(&shape, start, way, radius);
            if (gap < -1e-6)
                assert_true(got == 0);
            if (gap < 1e-6)
                continue;
            // Conservative advancement to the first touch.
            const double length = raim_vec2_length(way);
            double time = 0, left = gap;
            for (int k = 0; k < 100000 && time <= 1 && left > 1e-10; k++) {
                time += left / length;
                left = distance_to(&shape, raim_vec2_mad(start, way, time)) - radius;
            }
            if (time <= 1 &&
                distance_to(&shape, raim_vec2_mad(start, way, fmin(1, time + 1e-3))) - radius <
                    -1e-5)
                assert_true(fabs(got - time) < 1e-6);
            if (got <= 1)
                assert_true(fabs(distance_to(&shape, raim_vec2_mad(start, way, got)) - radius) <
                            1e-8);
            hits += got <= 1;
        }
    }
    assert_true(hits > chance_rounds(40000));
}

static bool deepest(const struct shape *shape, raim_vec2 centre, double radius,
                    raim_contact *contact)
{
    *contact = (raim_contact){.depth = 0};
    for (int i = 0; i < shape->piece_count; i++) {
        raim_contact other;
        if (raim_sat_circle(&shape->pieces[i], centre, radius, centre, &other) &&
            other.depth > contact->depth)
            *contact = other;
    }
    return contact->depth > 0;
}

// Returns the nearest point of the outline.
static raim_vec2 nearest_on(const struct shape *shape, raim_vec2 point)
{
    raim_vec2 best = P(INFINITY, INFINITY);
    for (int i = 0, j = shape->count - 1; i < shape->count; j = i++) {
        const raim_vec2 a = shape->points[j], along = raim_vec2_sub(shape->points[i], a);
        const double part =
            raim_vec2_dot(raim_vec2_sub(point, a), along) / raim_vec2_dot(along, along);
        const raim_vec2 at = raim_vec2_mad(a, along, fmin(1, fmax(0, part)));
        if (raim_vec2_distance_squared(at, point) < raim_vec2_distance_squared(best, point))
            best = at;
    }
    return best;
}

static double path_distance(const struct shape *shape, raim_vec2 a, raim_vec2 b)
{
    double nearest = INFINITY;
    for (int i = 0, j = shape->count - 1; i < shape->count; j = i++)
        nearest = fmin(nearest, slow_segments_distance(shape->points[j], shape->points[i], a, b));
    return nearest;
}

TEST(seams_never_catch_a_sliding_circle)
{
    int slides = 0, past_ends = 0;
    for (int i = 0; i < chance_rounds(40000); i++) {
        struct shape shape;
        chance_shape(&shape, i % 8 == 0 ? 40 : 12);
        const double left = slow_doubled_area(shape.points, shape.count) > 0 ? 1 : -1;
        for (int j = 0; j < shape.count; j++) {
            const raim_vec2 a = shape.points[j], b = shape.points[(j + 1) % shape.count];
            const double length = sqrt(raim_vec2_distance_squared(a, b));
            const raim_vec2 along = raim_vec2_scale(raim_vec2_sub(b, a), 1 / length);
            const raim_vec2 normal = P(along.y * left, -along.x * left);
            const double radius = chance_between(1, 30), press = chance_between(0, 0.5) * radius;
            const double from = chance_between(0, length), to = from + chance_between(-40, 40);
            const raim_vec2 foot = raim_vec2_mad(a, normal, radius);
            const raim_vec2 start = raim_vec2_mad(foot, along, from);
            const raim_vec2 end = raim_vec2_mad(foot, along, to);
            if (path_distance(&shape, start, end) < radius - 1e-10)
                continue;
            slides++;
            past_ends += to < 0 || to > length;
            assert_true(first_touch(&shape, start, raim_vec2_sub(end, start), radius) ==
                        RAIM_SWEEP_MISS);
            // A circle pressed into the wall leaves along the shortest vector from the whole
            // outline.
            const raim_vec2 pressed = raim_vec2_mad(end, normal, -press);
            const raim_vec2 at = nearest_on(&shape, pressed);
            const double distance = sqrt(raim_vec2_distance_squared(at, pressed));
            raim_contact contact;
            if (!deepest(&shape, pressed, radius, &contact)) {
                assert_true(distance > radius - 1e-9);
                continue;
            }
            assert_true(fabs(contact.depth - (radius - distance)) < 1e-9);
            if (to <= 0 || to >= length || distance < radius - press - 1e-9)
                continue;
            const raim_vec2 moved = raim_vec2_mad(pressed, contact.normal, contact.depth);
            assert_true(raim_vec2_distance_squared(moved, end) < 1e-16);
            assert_true(!deepest(&shape, moved, radius, &contact) || contact.depth < 1e-9);
        }
    }
    assert_true(slides > chance_rounds(120000));
    assert_true(past_ends > chance_rounds(20000));
}

static bool is_outline_normal(const struct shape *shape, raim_vec2 normal)
{
    const double left = slow_doubled_area(shape->points, shape->count) > 0 ? 1 : -1;
    for (int i = 0; i < shape->count; i++) {
        const raim_vec2 edge =
            raim_vec2_sub(shape->points[(i + 1) % shape->count], shape->points[i]);
        const double length = left * raim_vec2_length(edge);
        if (fabs(normal.x - edge.y / length) < 1e-6 && fabs(normal.y + edge.x / length) < 1e-6)
            return true;
    }
    return false;
}

TEST(from_deep_inside_it_leaves_by_a_face_of_the_outline)
{
    int left = 0;
    for (int i = 0; i < chance_rounds(40000); i++) {
        struct shape shape;
        chance_shape(&shape, 12);
        const raim_polygon *piece = &shape.pieces[chance_int(0, shape.piece_count - 1)];
        const int edge = chance_int(0, piece->count - 1);
        const raim_vec2 a = piece->points[edge], b = piece->points[(edge + 1) % piece->count];
        const bool on_edge = chance_int(0, 1) == 1; // may be on a seam
        const raim_vec2 centre =
            on_edge ? raim_vec2_mad(a, raim_vec2_sub(b, a), chance_between(0.1, 0.9))
                    : chance_point(&shape);
        bool faced = true;
        for (int j = 0; j < shape.piece_count; j++)
            if (shape.pieces[j].seams == (1u << shape.pieces[j].count) - 1)
                faced = false;
        if (!faced || distance_to(&shape, centre) > -1e-6)
            continue;
        left++;
        raim_contact contact;
        assert_true(deepest(&shape, centre, chance_between(0.01, 30), &contact));
        assert_true(is_outline_normal(&shape, contact.normal));
    }
    assert_true(left > chance_rounds(10000));
}
