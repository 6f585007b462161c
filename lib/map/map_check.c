// SPDX-License-Identifier: MIT
// Finds overlapping outlines and spawns that walls separate.
#include "map_check.h"
#include "sat.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

static raim_box bounds_of(const struct raim_map *map, const struct raim_map_outline *outline)
{
    raim_box bounds = map->obstacles[outline->first_piece].bounds;
    for (int i = 1; i < outline->piece_count; i++) {
        const raim_box piece = map->obstacles[outline->first_piece + i].bounds;
        bounds = raim_box_include(raim_box_include(bounds, piece.min), piece.max);
    }
    return bounds;
}

static bool outlines_overlap(const struct raim_map *map, const struct raim_map_outline *a,
                             const struct raim_map_outline *b)
{
    for (int i = 0; i < a->piece_count; i++) {
        const raim_polygon *piece = &map->obstacles[a->first_piece + i];
        for (int j = 0; j < b->piece_count; j++) {
            const raim_polygon *other = &map->obstacles[b->first_piece + j];
            raim_contact contact;
            if (raim_box_overlaps(piece->bounds, other->bounds) &&
                raim_sat_polygons(piece, other, &contact))
                return true;
        }
    }
    return false;
}

int raim_map_next_overlap(const struct raim_map *map, int index, int after)
{
    assert(index >= 0 && index < map->outline_count);
    assert(after >= -1);
    const struct raim_map_outline *outline = &map->outlines[index];
    const raim_box bounds = bounds_of(map, outline);
    for (int i = after + 1; i < map->outline_count; i++)
        if (i != index && raim_box_overlaps(bounds, bounds_of(map, &map->outlines[i])) &&
            outlines_overlap(map, outline, &map->outlines[i]))
            return i;
    return -1;
}

enum { WORD_BITS = 64, WORDS = RAIM_MAX_SPAWNS / WORD_BITS };

// One bit for each spawn: set when a curve crosses the ray from the spawn to the right an odd
// number of times.
struct crossings {
    uint64_t odd[WORDS];
};

// A spanning forest of the graph of obstacles that a circle cannot pass between. The nodes are the
// obstacles and, after the last one, the border. A curve that no centre of a circle can cross links
// each node to its parent.
struct forest {
    const struct raim_map *map;
    int *parents; // a root is its own parent
    int *sizes;   // nodes of the tree; valid for roots
    struct crossings *curves;
    int *group;
};

static bool is_odd(const struct crossings *curve, int spawn)
{
    return (curve->odd[spawn / WORD_BITS] >> (spawn % WORD_BITS) & 1) != 0;
}

static void join_curves(struct crossings *curve, const struct crossings *other)
{
    for (int i = 0; i < WORDS; i++)
        curve->odd[i] ^= other->odd[i];
}

// Adds the crossings of a segment. The half-open comparison of both ends makes a ray through the
// joint of two segments cross one, both or none of them, exactly as it crosses the curve.
static void draw_segment(const struct raim_map *map, raim_vec2 a, raim_vec2 b,
                         struct crossings *curve)
{
    for (int i = 0; i < map->spawn_count; i++) {
        const raim_vec2 spawn = map->spawns[i];
        if ((a.y > spawn.y) == (b.y > spawn.y))
            continue;
        const double side =
            raim_vec2_cross(raim_vec2_sub(b, a), raim_vec2_sub(spawn, a)) * (b.y > a.y ? 1 : -1);
        if (side > 0)
            curve->odd[i / WORD_BITS] ^= UINT64_C(1) << (i % WORD_BITS);
    }
}

// Returns the root of a node's tree, and adds the curves on the path to it.
static int find_root(const struct forest *forest, int node, struct crossings *curve)
{
    while (forest->parents[node] != node) {
        join_curves(curve, &forest->curves[node]);
        node = forest->parents[node];
    }
    return node;
}

// Separates the spawns inside a closed curve from the spawns outside.
static void split_groups(const struct forest *forest, const struct crossings *ring)
{
    int *group = forest->group;
    int lowest[2][RAIM_MAX_SPAWNS]; // by side of the ring and former group
    for (int i = 0; i < forest->map->spawn_count; i++)
        lowest[0][i] = lowest[1][i] = -1;
    for (int i = 0; i < forest->map->spawn_count; i++) {
        int *first = &lowest[is_odd(ring, i)][group[i]];
        *first = *first < 0 ? i : *first;
        group[i] = *first;
    }
}

// Adds an edge: a curve from one node to another.
static void add_edge(struct forest *forest, int a, int b, struct crossings curve)
{
    a = find_root(forest, a, &curve);
    b = find_root(forest, b, &curve);
    if (a == b) {
        split_groups(forest, &curve);
        return;
    }
    const int root = forest->sizes[a] < forest->sizes[b] ? b : a;
    const int child = a + b - root;
    forest->parents[child] = root;
    forest->sizes[root] += forest->sizes[child];
    forest->curves[child] = curve;
}

// The shortest segment between two outlines.
struct bridge {
    raim_vec2 from, to;
    double squared; // length
};

static void keep_shorter(struct bridge *bridge, raim_vec2 from, raim_vec2 to)
{
    const double squared = raim_vec2_distance_squared(from, to);
    if (squared < bridge->squared)
        *bridge = (struct bridge){from, to, squared};
}

static raim_vec2 nearest_on_edge(raim_vec2 a, raim_vec2 b, raim_vec2 point)
{
    const raim_vec2 along = raim_vec2_sub(b, a);
    const double part = raim_vec2_dot(raim_vec2_sub(point, a), along) / raim_vec2_dot(along, along);
    return raim_vec2_mad(a, along, fmin(fmax(part, 0), 1));
}

static void keep_crossing(struct bridge *bridge, raim_vec2 a, raim_vec2 b, raim_vec2 c, raim_vec2 d)
{
    const raim_vec2 ab = raim_vec2_sub(b, a), cd = raim_vec2_sub(d, c);
    const double from = raim_vec2_cross(ab, raim_vec2_sub(c, a));
    const double to = raim_vec2_cross(ab, raim_vec2_sub(d, a));
    const double before = raim_vec2_cross(cd, raim_vec2_sub(a, c));
    const double after = raim_vec2_cross(cd, raim_vec2_sub(b, c));
    if ((from > 0) == (to > 0) || (before > 0) == (after > 0))
        return;
    const raim_vec2 point = raim_vec2_mad(c, cd, from / (from - to));
    keep_shorter(bridge, point, point);
}

// Finds the shortest segment between two outlines. A polygon inside another may be far from the
// other's outline and then stays unlinked. This is harmless: every neighbour of the inner polygon
// is a neighbour of the outer one, so the inner one adds no ring.
static struct bridge find_bridge(const raim_polygon *polygon, const raim_polygon *other)
{
    struct bridge bridge = {.squared = INFINITY};
    for (int i = 0; i < polygon->count; i++) {
        const raim_vec2 a = polygon->points[i];
        const raim_vec2 b = polygon->points[raim_polygon_next(polygon, i)];
        for (int j = 0; j < other->count; j++) {
            const raim_vec2 c = other->points[j];
            const raim_vec2 d = other->points[raim_polygon_next(other, j)];
            keep_shorter(&bridge, a, nearest_on_edge(c, d, a));
            keep_shorter(&bridge, nearest_on_edge(a, b, c), c);
            keep_crossing(&bridge, a, b, c, d);
        }
    }
    return bridge;
}

static void link_obstacles(struct forest *forest, int a, int b, double width)
{
    const struct raim_map *map = forest->map;
    const raim_polygon *polygon = &map->obstacles[a], *other = &map->obstacles[b];
    if (!raim_box_overlaps(raim_box_grow(polygon->bounds, width), other->bounds))
        return;
    const struct bridge bridge = find_bridge(polygon, other);
    if (bridge.squared >= width * width)
        return;
    struct crossings curve = {{0}};
    draw_segment(map, polygon->points[0], bridge.from, &curve);
    draw_segment(map, bridge.from, bridge.to, &curve);
    draw_segment(map, bridge.to, other->points[0], &curve);
    add_edge(forest, a, b, curve);
}

// Links an obstacle to each side of the border that it is too close to. Outside the border, the
// curves run over the top or below the bottom and meet on the left, where no ray runs.
static void link_border(struct forest *forest, int index, double width)
{
    const struct raim_map *map = forest->map;
    const raim_polygon *polygon = &map->obstacles[index];
    const raim_box border = map->border, around = raim_box_grow(border, 1);
    enum { LEFT, RIGHT, BOTTOM, TOP, SIDES };
    for (int i = 0; i < polygon->count; i++) {
        const raim_vec2 point = polygon->points[i];
        const double gaps[SIDES] = {point.x - border.min.x, border.max.x - point.x,
                                    point.y - border.min.y, border.max.y - point.y};
        const raim_vec2 outside[SIDES] = {{around.min.x, point.y},
                                          {around.max.x, point.y},
                                          {point.x, around.min.y},
                                          {point.x, around.max.y}};
        for (int side = LEFT; side < SIDES; side++) {
            if (gaps[side] >= width)
                continue;
            struct crossings curve = {{0}};
            draw_segment(map, polygon->points[0], point, &curve);
            draw_segment(map, point, outside[side], &curve);
            if (side == RIGHT)
                draw_segment(map, outside[side], around.max, &curve);
            add_edge(forest, index, map->obstacle_count, curve);
        }
    }
}

bool raim_map_group_spawns(const struct raim_map *map, double radius, int group[RAIM_MAX_SPAWNS])
{
    const size_t nodes = (size_t)map->obstacle_count + 1;
    struct forest forest = {
        .map = map,
        .parents = calloc(nodes, sizeof *forest.parents),
        .sizes = calloc(nodes, sizeof *forest.sizes),
        .curves = calloc(nodes, sizeof *forest.curves),
        .group = group,
    };
    const bool has_memory = forest.parents != NULL && forest.sizes != NULL && forest.curves != NULL;
    // A circle may overlap the obstacles on both sides by the slop.
    const double width = 2 * (radius - RAIM_MAP_SLOP);
    for (int i = 0; i < map->spawn_count; i++)
        group[i] = 0;
    for (size_t i = 0; has_memory && i < nodes; i++) {
        forest.parents[i] = (int)i;
        forest.sizes[i] = 1;
    }
    for (int i = 0; has_memory && i < map->obstacle_count; i++) {
        link_border(&forest, i, width);
        for (int j = i + 1; j < map->obstacle_count; j++)
            link_obstacles(&forest, i, j, width);
    }
    free(forest.curves);
    free(forest.sizes);
    free(forest.parents);
    return has_memory;
}
