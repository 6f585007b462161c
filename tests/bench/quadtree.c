// SPDX-License-Identifier: MIT
// Builds the tree by splitting nodes with too many obstacles, and queries it with an explicit
// stack.
#include "quadtree.h"
#include "sat.h"

#include <stdlib.h>

enum {
    LEAF_OBSTACLES = 8, // a leaf with more is split; the fastest value of those measured, 2 to 32
    MOST_DEPTH = 9,
    STACK_NODES = 3 * MOST_DEPTH + 4,
};

struct node {
    raim_box box;
    int children;           // the index of the first of four, or 0 for a leaf
    int first_entry, count; // of a leaf
};

struct quadtree {
    const struct raim_map *map;
    struct node *nodes;
    int node_count, node_capacity;
    int *entries; // obstacle indexes
    int entry_count, entry_capacity;
};

// --- building ---

// True when an array has room for `more`.
static bool reserve(void **array, int *capacity, int count, int more, size_t size)
{
    if (count + more <= *capacity)
        return true;
    const int wanted = 2 * (count + more);
    void *larger = realloc(*array, (size_t)wanted * size);
    if (larger == NULL)
        return false;
    *array = larger;
    *capacity = wanted;
    return true;
}

static bool reserve_nodes(struct quadtree *tree, int more)
{
    void *nodes = tree->nodes;
    const bool good =
        reserve(&nodes, &tree->node_capacity, tree->node_count, more, sizeof *tree->nodes);
    tree->nodes = nodes;
    return good;
}

static bool reserve_entries(struct quadtree *tree, int more)
{
    void *entries = tree->entries;
    const bool good =
        reserve(&entries, &tree->entry_capacity, tree->entry_count, more, sizeof *tree->entries);
    tree->entries = entries;
    return good;
}

static raim_box quarter_of(raim_box box, int quarter)
{
    const raim_vec2 middle = raim_vec2_scale(raim_vec2_add(box.min, box.max), 0.5);
    const bool right = quarter % 2 == 1, upper = quarter >= 2;
    return (raim_box){{right ? middle.x : box.min.x, upper ? middle.y : box.min.y},
                      {right ? box.max.x : middle.x, upper ? box.max.y : middle.y}};
}

static bool make_leaf(struct quadtree *tree, int node, const int *obstacles, int count)
{
    if (!reserve_entries(tree, count))
        return false;
    tree->nodes[node].first_entry = tree->entry_count;
    tree->nodes[node].count = count;
    for (int i = 0; i < count; i++)
        tree->entries[tree->entry_count++] = obstacles[i];
    return true;
}

// Builds a node from the candidates that touch its box.
static bool grow(struct quadtree *tree, int node, const int *candidates, int candidate_count,
                 int depth)
{
    int *obstacles = malloc((size_t)(candidate_count + 1) * sizeof *obstacles);
    if (obstacles == NULL)
        return false;
    int count = 0;
    for (int i = 0; i < candidate_count; i++)
        if (raim_box_overlaps(tree->map->obstacles[candidates[i]].bounds, tree->nodes[node].box))
            obstacles[count++] = candidates[i];
    bool good;
    if (count <= LEAF_OBSTACLES || depth == MOST_DEPTH) {
        good = make_leaf(tree, node, obstacles, count);
    } else {
        good = reserve_nodes(tree, 4);
        const int children = tree->node_count;
        tree->node_count += good ? 4 : 0;
        for (int i = 0; i < 4 && good; i++) {
            tree->nodes[node].children = children;
            tree->nodes[children + i] = (struct node){.box = quarter_of(tree->nodes[node].box, i)};
            good = grow(tree, children + i, obstacles, count, depth + 1);
        }
    }
    free(obstacles);
    return good;
}

struct quadtree *quadtree_create(const struct raim_map *map)
{
    struct quadtree *tree = calloc(1, sizeof *tree);
    int *all = malloc((size_t)(map->obstacle_count + 1) * sizeof *all);
    bool good = tree != NULL && all != NULL;
    if (good) {
        tree->map = map;
        for (int i = 0; i < map->obstacle_count; i++)
            all[i] = i;
        good = reserve_nodes(tree, 1);
    }
    if (good) {
        tree->nodes[tree->node_count++] = (struct node){.box = map->border};
        good = grow(tree, 0, all, map->obstacle_count, 0);
    }
    free(all);
    if (good)
        return tree;
    quadtree_destroy(tree);
    return NULL;
}

void quadtree_destroy(struct quadtree *tree)
{
    if (tree == NULL)
        return;
    free(tree->entries);
    free(tree->nodes);
    free(tree);
}

// --- queries ---

// The tolerance for rounding, in units: boxes are grown by it.
static const double margin = 1e-6;

static bool leaves_border(const struct raim_map *map, raim_vec2 centre, double radius)
{
    return map->border.min.x + radius - centre.x > RAIM_MAP_SLOP ||
           map->border.min.y + radius - centre.y > RAIM_MAP_SLOP ||
           centre.x + radius - map->border.max.x > RAIM_MAP_SLOP ||
           centre.y + radius - map->border.max.y > RAIM_MAP_SLOP;
}

static bool is_leaf_free(const struct quadtree *tree, const struct node *leaf, raim_box box,
                         raim_vec2 centre, double radius)
{
    for (int i = 0; i < leaf->count; i++) {
        const raim_polygon *polygon = &tree->map->obstacles[tree->entries[leaf->first_entry + i]];
        raim_contact contact;
        if (raim_box_overlaps(polygon->bounds, box) &&
            raim_sat_circle(polygon, centre, radius, centre, &contact) &&
            contact.depth > RAIM_MAP_SLOP)
            return false;
    }
    return true;
}

bool quadtree_is_free(const struct quadtree *tree, raim_vec2 centre, double radius)
{
    if (leaves_border(tree->map, centre, radius))
        return false;
    const raim_box box = raim_box_grow((raim_box){centre, centre}, radius);
    int stack[STACK_NODES] = {0};
    int height = 1;
    while (height > 0) {
        const struct node *node = &tree->nodes[stack[--height]];
        if (!raim_box_overlaps(node->box, box))
            continue;
        if (node->children == 0 && !is_leaf_free(tree, node, box, centre, radius))
            return false;
        for (int i = 0; i < 4 && node->children != 0; i++)
            stack[height++] = node->children + i;
    }
    return true;
}

struct motion {
    raim_vec2 start, displacement;
    double radius;
    raim_box box; // around the whole motion
};

// Narrows the part of the motion that lies between two sides along one axis.
static void clip(double low, double high, double start, double change, double *enter, double *leave)
{
    if (change == 0)
        return;
    const double at_low = (low - start) / change, at_high = (high - start) / change;
    const double first = at_low < at_high ? at_low : at_high;
    const double last = at_low < at_high ? at_high : at_low;
    *enter = first > *enter ? first : *enter;
    *leave = last < *leave ? last : *leave;
}

// Returns true when the moving circle touches a box sooner than `before`.
static bool crosses(const struct motion *motion, raim_box box, double before)
{
    if (!raim_box_overlaps(motion->box, box))
        return false;
    const raim_box grown = raim_box_grow(box, motion->radius + margin);
    double enter = 0, leave = 1;
    clip(grown.min.x, grown.max.x, motion->start.x, motion->displacement.x, &enter, &leave);
    clip(grown.min.y, grown.max.y, motion->start.y, motion->displacement.y, &enter, &leave);
    return enter <= leave && enter <= before;
}

static double touch_leaf(const struct quadtree *tree, const struct node *leaf,
                         const struct motion *motion, double first)
{
    for (int i = 0; i < leaf->count; i++) {
        const raim_polygon *polygon = &tree->map->obstacles[tree->entries[leaf->first_entry + i]];
        if (!raim_box_overlaps(polygon->bounds, motion->box))
            continue;
        const double time =
            raim_sweep_polygon(polygon, motion->start, motion->displacement, motion->radius);
        first = time < first ? time : first;
    }
    return first;
}

static double touch(const struct quadtree *tree, raim_vec2 start, raim_vec2 displacement,
                    double radius, double first)
{
    const raim_vec2 end = raim_vec2_add(start, displacement);
    const raim_box path = raim_box_include((raim_box){start, start}, end);
    const struct motion motion = {start, displacement, radius,
                                  raim_box_grow(path, radius + margin)};
    // The quarter that the motion comes from is on top of the stack.
    const int near = (displacement.x < 0) + 2 * (displacement.y < 0);
    int stack[STACK_NODES] = {0};
    int height = 1;
    while (height > 0) {
        const struct node *node = &tree->nodes[stack[--height]];
        if (!crosses(&motion, node->box, first))
            continue;
        if (node->children == 0)
            first = touch_leaf(tree, node, &motion, first);
        for (int i = 0; i < 4 && node->children != 0; i++)
            stack[height++] = node->children + ((3 - i) ^ near);
    }
    return first;
}

double quadtree_sweep(const struct quadtree *tree, raim_vec2 start, raim_vec2 displacement,
                      double radius)
{
    return touch(tree, start, displacement, radius,
                 raim_sweep_box(tree->map->border, start, displacement, radius));
}

bool quadtree_sees(const struct quadtree *tree, raim_vec2 from, raim_vec2 to)
{
    return touch(tree, from, raim_vec2_sub(to, from), 0, RAIM_SWEEP_MISS) > 1;
}
