// SPDX-License-Identifier: MIT
// Benchmark of broad phases for obstacles: the map's uniform grid, a quadtree, and brute force.
//
//   bench_broad_phase [SEED] <MAPS
//     Reads maps, each "NAME X_MIN Y_MIN X_MAX Y_MAX COUNT" and COUNT times "CORNERS X Y ...", and
//     adds random ones of 1000 and 4000 obstacles. Prints a line for each map, question and broad
//     phase: "map=... obstacles=... question=... with=... ns=...".
// The queries: whether a player's circle is free, where a bullet's motion of one tick ends, and
// whether a line of sight of a screen's length is free. All three broad phases must give equal
// answers.
#define _GNU_SOURCE

#include "measure.h"
#include "quadtree.h"
#include "sat.h"
#include "scene.h"

#include <stdio.h>

#define QUERIES 16384
#define ROUNDS 7

// The number of queries for brute force over thousands of obstacles.
#define SLOW_QUERIES 2048

static const double player_radius = 20, bullet_radius = 4;
static const double bullet_units = 15; // in a tick
static const double sight_units = 800; // half a screen

struct field {
    const struct raim_map *map;
    const struct quadtree *tree;
};

struct query {
    raim_vec2 start, displacement;
};

// Returns the answer as a number, so that answers can be compared.
typedef double answer(const struct field *field, const struct query *query);

// --- brute force ---

static bool brute_is_free(const struct raim_map *map, raim_vec2 centre, double radius)
{
    const raim_box inner = raim_box_grow(map->border, RAIM_MAP_SLOP - radius);
    if (!raim_box_contains(inner, centre))
        return false;
    const raim_box box = raim_box_grow((raim_box){centre, centre}, radius);
    for (int i = 0; i < map->obstacle_count; i++) {
        raim_contact contact;
        if (raim_box_overlaps(map->obstacles[i].bounds, box) &&
            raim_sat_circle(&map->obstacles[i], centre, radius, centre, &contact) &&
            contact.depth > RAIM_MAP_SLOP)
            return false;
    }
    return true;
}

static double brute_touch(const struct raim_map *map, const struct query *query, double radius,
                          double first)
{
    const raim_vec2 end = raim_vec2_add(query->start, query->displacement);
    const raim_box path = raim_box_include((raim_box){query->start, query->start}, end);
    const raim_box box = raim_box_grow(path, radius + 1e-6);
    for (int i = 0; i < map->obstacle_count; i++) {
        if (!raim_box_overlaps(map->obstacles[i].bounds, box))
            continue;
        const double time =
            raim_sweep_polygon(&map->obstacles[i], query->start, query->displacement, radius);
        first = time < first ? time : first;
    }
    return first;
}

// --- the answers ---

static double grid_stands(const struct field *field, const struct query *query)
{
    return raim_map_is_free(field->map, query->start, player_radius);
}

static double tree_stands(const struct field *field, const struct query *query)
{
    return quadtree_is_free(field->tree, query->start, player_radius);
}

static double brute_stands(const struct field *field, const struct query *query)
{
    return brute_is_free(field->map, query->start, player_radius);
}

static double grid_flies(const struct field *field, const struct query *query)
{
    return raim_map_sweep(field->map, query->start, query->displacement, bullet_radius);
}

static double tree_flies(const struct field *field, const struct query *query)
{
    return quadtree_sweep(field->tree, query->start, query->displacement, bullet_radius);
}

static double brute_flies(const struct field *field, const struct query *query)
{
    const double first =
        raim_sweep_box(field->map->border, query->start, query->displacement, bullet_radius);
    return brute_touch(field->map, query, bullet_radius, first);
}

static raim_vec2 end_of(const struct query *query)
{
    return raim_vec2_mad(query->start, query->displacement, sight_units / bullet_units);
}

static double grid_sees(const struct field *field, const struct query *query)
{
    return raim_map_sees(field->map, query->start, end_of(query));
}

static double tree_sees(const struct field *field, const struct query *query)
{
    return quadtree_sees(field->tree, query->start, end_of(query));
}

static double brute_sees(const struct field *field, const struct query *query)
{
    const struct query sight = {query->start, raim_vec2_sub(end_of(query), query->start)};
    return brute_touch(field->map, &sight, 0, RAIM_SWEEP_MISS) > 1;
}

enum { GRID, TREE, BRUTE, WAYS };
static const char *const way_names[WAYS] = {"grid", "quadtree", "brute"};

static const struct question {
    const char *name;
    answer *ways[WAYS];
} questions[] = {
    {"circle", {grid_stands, tree_stands, brute_stands}},
    {"bullet", {grid_flies, tree_flies, brute_flies}},
    {"sight", {grid_sees, tree_sees, brute_sees}},
};

// --- the measurement ---

static double ask(answer *way, const struct field *field, const struct query *queries, int count,
                  double *answers)
{
    const int64_t start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < count; i++)
        answers[i] = way(field, &queries[i]);
    return (double)(measure_ns(CLOCK_THREAD_CPUTIME_ID) - start) / count;
}

static bool measure_question(const struct field *field, const struct question *question,
                             const struct query *queries)
{
    static double answers[WAYS][QUERIES];
    double ns[WAYS][ROUNDS];
    const int slow = field->map->obstacle_count > 200 ? SLOW_QUERIES : QUERIES;
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++)
            ns[way][round] = ask(question->ways[way], field, queries, way == BRUTE ? slow : QUERIES,
                                 answers[way]);
    for (int i = 0; i < QUERIES; i++) {
        const bool brute_differs = i < slow && answers[BRUTE][i] != answers[GRID][i];
        if (answers[TREE][i] != answers[GRID][i] || brute_differs) {
            fprintf(stderr, "the broad phases differ about %s %d in %s\n", question->name, i,
                    field->map->name);
            return false;
        }
    }
    for (int way = 0; way < WAYS; way++)
        printf("map=%s obstacles=%d question=%s with=%s ns=%.1f\n", field->map->name,
               field->map->obstacle_count, question->name, way_names[way],
               measure_quantile(ns[way], ROUNDS, 0.5));
    return true;
}

// Makes queries as in play: bullets and lines of sight begin at free points.
static bool measure_map(const struct raim_map *map, uint64_t *random)
{
    struct quadtree *tree = quadtree_create(map);
    if (tree == NULL)
        return false;
    static struct query around[QUERIES], outside[QUERIES];
    for (int i = 0; i < QUERIES; i++) {
        around[i].start = chance_point(random, map->border, 0);
        do
            outside[i].start = chance_point(random, map->border, bullet_radius);
        while (!raim_map_is_free(map, outside[i].start, bullet_radius));
        outside[i].displacement = raim_vec2_scale(chance_direction(random), bullet_units);
    }
    const struct field field = {map, tree};
    bool good = true;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && good; i++)
        good = measure_question(&field, &questions[i], i == 0 ? around : outside);
    quadtree_destroy(tree);
    return good;
}

// --- the maps ---

static bool read_obstacle(struct raim_obstacle_def *obstacle)
{
    if (scanf("%d", &obstacle->count) != 1 || obstacle->count > RAIM_MAX_OUTLINE_POINTS)
        return false;
    for (int i = 0; i < obstacle->count; i++)
        if (scanf("%lf %lf", &obstacle->points[i].x, &obstacle->points[i].y) != 2)
            return false;
    return true;
}

// Returns NULL at the end of the input and for malformed input.
static struct raim_map *read_map(void)
{
    char name[RAIM_MAP_NAME_BYTES];
    raim_box border;
    int count;
    if (scanf("%31s %lf %lf %lf %lf %d", name, &border.min.x, &border.min.y, &border.max.x,
              &border.max.y, &count) != 6)
        return NULL;
    struct raim_obstacle_def *obstacles = calloc((size_t)count + 1, sizeof *obstacles);
    bool good = obstacles != NULL;
    for (int i = 0; i < count && good; i++)
        good = read_obstacle(&obstacles[i]);
    struct raim_map_problem problem;
    struct raim_map *map = NULL;
    if (good)
        map = raim_map_create(
            &(struct raim_map_def){
                .name = name, .border = border, .obstacles = obstacles, .obstacle_count = count},
            &problem);
    free(obstacles);
    return map;
}

int main(int argc, char **argv)
{
    uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    static const int sizes[] = {1000, 4000};
    bool good = true;
    struct raim_map *map;
    while (good && (map = read_map()) != NULL) {
        good = measure_map(map, &random);
        raim_map_destroy(map);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && good; i++) {
        map = scene_create(&random, sizes[i], 0, player_radius);
        good = map != NULL && measure_map(map, &random);
        raim_map_destroy(map);
    }
    return good && feof(stdin) ? 0 : 1;
}
