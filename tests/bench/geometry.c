// SPDX-License-Identifier: MIT
// Benchmark of the overlap test of a circle and a polygon, with its minimum translation vector: the
// library against a textbook implementation, alternating on the same queries.
//
//   bench_geometry [SEED]
//     Prints a line for each set of polygons, "set=... ns=... textbook_ns=... overlapping=...": the
//     medians over rounds of the mean time of a query, and the fraction of circles that overlap.
// Every round makes so many queries, in random order, that no branch predictor learns them.
#define _GNU_SOURCE

#include "measure.h"
#include "sat.h"
#include "scene.h"

#include <stdio.h>

#define POLYGONS 64 // about a map's
#define QUERIES 65536
#define ROUNDS 51

static const double radius = 20; // a player's
static const double map_side = 3000;

struct polygon_set {
    const char *name;
    int least_corners, most_corners;
};

static const struct polygon_set sets[] = {
    {"mix", 4, 8},
    {"boxes", 4, 4},
    {"hexagons", 6, 6},
    {"octagons", 8, 8},
};

struct query {
    const raim_polygon *polygon;
    raim_vec2 centre;
};

typedef bool answer(const raim_polygon *polygon, raim_vec2 centre, raim_contact *contact);

// --- the two implementations ---

static bool library_answer(const raim_polygon *polygon, raim_vec2 centre, raim_contact *contact)
{
    return raim_sat_circle(polygon, centre, radius, centre, contact);
}

// Projects both shapes on an axis. Returns false when the axis separates them.
static bool test_axis(const raim_polygon *polygon, raim_vec2 centre, raim_vec2 axis,
                      raim_contact *least)
{
    const double length = sqrt(axis.x * axis.x + axis.y * axis.y);
    if (length == 0)
        return true;
    const raim_vec2 unit = {axis.x / length, axis.y / length};
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < polygon->count; i++) {
        const double at = raim_vec2_dot(unit, polygon->points[i]);
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    const double middle = raim_vec2_dot(unit, centre);
    const double forward = high - (middle - radius), backward = middle + radius - low;
    if (forward <= 0 || backward <= 0)
        return false;
    if (forward < least->depth)
        *least = (raim_contact){unit, forward};
    if (backward < least->depth)
        *least = (raim_contact){raim_vec2_scale(unit, -1), backward};
    return true;
}

// The separating axis theorem as in textbooks: the axes are the unit normal of every edge and the
// unit direction from every corner to the centre. The first gap ends the search; the smallest
// overlap wins.
static bool textbook_answer(const raim_polygon *polygon, raim_vec2 centre, raim_contact *contact)
{
    contact->depth = INFINITY;
    for (int i = 0; i < polygon->count; i++) {
        const raim_vec2 next = polygon->points[i + 1 < polygon->count ? i + 1 : 0];
        const raim_vec2 edge = raim_vec2_sub(next, polygon->points[i]);
        if (!test_axis(polygon, centre, (raim_vec2){edge.y, -edge.x}, contact))
            return false;
    }
    for (int i = 0; i < polygon->count; i++)
        if (!test_axis(polygon, centre, raim_vec2_sub(centre, polygon->points[i]), contact))
            return false;
    return true;
}

// --- the questions ---

// A box of any proportion, or a polygon whose corners lie anywhere in their sectors of a circle.
static void make_polygon(raim_polygon *polygon, uint64_t *random, int corners)
{
    const double size = chance_uniform(random, 40, 90);
    const raim_vec2 centre = {chance_uniform(random, 0, map_side),
                              chance_uniform(random, 0, map_side)};
    const double turn = chance_uniform(random, 0, RAIM_ANGLE_TURN);
    const double sector = (double)RAIM_ANGLE_TURN / corners;
    const double flat = chance_uniform(random, 0.05, 0.5);
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    do {
        for (int i = 0; i < corners; i++) {
            const double off =
                corners == 4 ? (i % 2 == 0 ? flat : 1 - flat) : chance_uniform(random, 0.1, 0.9);
            const double angle = turn + (i + off) * sector;
            points[i] =
                raim_vec2_mad(centre, raim_angle_direction((raim_angle)(uint32_t)angle), size);
        }
    } while (raim_polygon_init(polygon, points, corners) != RAIM_POLYGON_OK);
}

// Circles so far around the polygons that about a third of them overlap.
static void make_queries(struct query *queries, const raim_polygon *polygons, uint64_t *random)
{
    for (int i = 0; i < QUERIES; i++) {
        const raim_polygon *polygon = &polygons[raim_random_below(random, POLYGONS)];
        const raim_box box = raim_box_grow(polygon->bounds, 2.75 * radius);
        queries[i] = (struct query){polygon, chance_point(random, box, 0)};
    }
}

// --- the measurement ---

struct tally {
    int overlapping;
    double depths; // used, so that no compiler leaves the work out
};

static double ask(answer *ask_one, const struct query *queries, struct tally *tally)
{
    *tally = (struct tally){0, 0};
    const int64_t start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < QUERIES; i++) {
        raim_contact contact;
        if (ask_one(queries[i].polygon, queries[i].centre, &contact)) {
            tally->overlapping++;
            tally->depths += contact.depth;
        }
    }
    return (double)(measure_ns(CLOCK_THREAD_CPUTIME_ID) - start) / QUERIES;
}

static bool measure_set(const struct polygon_set *set, uint64_t *random)
{
    static raim_polygon polygons[POLYGONS];
    static struct query queries[QUERIES];
    const int kinds = set->most_corners - set->least_corners + 1;
    for (int i = 0; i < POLYGONS; i++)
        make_polygon(&polygons[i], random, set->least_corners + i % kinds);
    make_queries(queries, polygons, random);

    double ns[ROUNDS], textbook_ns[ROUNDS];
    struct tally tally, textbook_tally;
    for (int round = 0; round < ROUNDS; round++) {
        ns[round] = ask(library_answer, queries, &tally);
        textbook_ns[round] = ask(textbook_answer, queries, &textbook_tally);
    }
    if (tally.overlapping != textbook_tally.overlapping ||
        fabs(tally.depths - textbook_tally.depths) > 1e-6 * tally.depths) {
        fprintf(stderr, "the two do not agree about %s\n", set->name);
        return false;
    }
    printf("set=%s ns=%.2f textbook_ns=%.2f overlapping=%.3f\n", set->name,
           measure_quantile(ns, ROUNDS, 0.5), measure_quantile(textbook_ns, ROUNDS, 0.5),
           (double)tally.overlapping / QUERIES);
    return true;
}

int main(int argc, char **argv)
{
    uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!measure_set(&sets[i], &random))
            return 1;
    return 0;
}
