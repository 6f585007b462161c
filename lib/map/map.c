// SPDX-License-Identifier: MIT
// Validates map definitions, decomposes the outlines and builds the indexes of the obstacles.
#include "map.h"

#include "distance_field.h"
#include "map_clearance.h"
#include "map_grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The smallest side of a cell, in units. A player is about as wide, so smaller cells save no tests.
static const double min_cell_units = 32;

enum {
    CELLS_PER_OBSTACLE = 4,    // approximately; fewer cells hold more obstacles each
    ENTRIES_PER_OBSTACLE = 16, // limit: many large obstacles get larger cells, not more memory
};

static raim_box round_box(raim_box box)
{
    return (raim_box){raim_map_round(box.min), raim_map_round(box.max)};
}

static bool is_valid_border(raim_box border)
{
    // All comparisons are false for NaN.
    return border.min.x >= -RAIM_MAP_REACH && border.max.x <= RAIM_MAP_REACH &&
           border.min.y >= -RAIM_MAP_REACH && border.max.y <= RAIM_MAP_REACH &&
           border.max.x - border.min.x >= RAIM_MIN_BORDER &&
           border.max.y - border.min.y >= RAIM_MIN_BORDER;
}

// The pieces of one obstacle, and the memory to cut it in: too much for a stack.
struct cutter {
    raim_polygon pieces[RAIM_MAX_PIECES];
    struct raim_outline_work work;
};

// Validates an obstacle and cuts it into convex pieces.
static struct raim_map_problem cut_obstacle(raim_box border, const struct raim_obstacle_def *def,
                                            struct raim_map_outline *outline, struct cutter *cutter)
{
    // raim_outline_cut rejects counts that are out of range.
    for (int i = 0; i < def->count && i < RAIM_MAX_OUTLINE_POINTS; i++)
        outline->points[i] = raim_map_round(def->points[i]);
    outline->count = def->count;
    const struct raim_outline_problem problem = raim_outline_cut(
        outline->points, outline->count, cutter->pieces, &outline->piece_count, &cutter->work);
    if (problem.error != RAIM_OUTLINE_OK)
        return (struct raim_map_problem){RAIM_MAP_OBSTACLE, problem, 0};
    for (int i = 0; i < outline->count; i++)
        if (!raim_box_contains(border, outline->points[i]))
            return (struct raim_map_problem){.error = RAIM_MAP_OBSTACLE_OUTSIDE};
    return (struct raim_map_problem){.error = RAIM_MAP_OK};
}

struct raim_map_problem raim_map_check_obstacle(raim_box border,
                                                const struct raim_obstacle_def *obstacle)
{
    struct raim_map_outline outline;
    struct cutter *cutter = malloc(sizeof *cutter);
    if (cutter == NULL)
        return (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    const struct raim_map_problem problem =
        cut_obstacle(round_box(border), obstacle, &outline, cutter);
    free(cutter);
    return problem;
}

static enum raim_map_error check_spawn(const struct raim_map *map, raim_vec2 spawn)
{
    if (!raim_box_contains(map->border, spawn))
        return RAIM_MAP_SPAWN_OUTSIDE;
    for (int i = 0; i < map->obstacle_count; i++)
        if (raim_polygon_contains(&map->obstacles[i], spawn))
            return RAIM_MAP_SPAWN_BLOCKED;
    return RAIM_MAP_OK;
}

static void copy_name(char to[RAIM_MAP_NAME_BYTES], const char *name)
{
    size_t length = 0;
    while (length < RAIM_MAP_NAME_BYTES - 1 && name[length] != '\0')
        length++;
    memcpy(to, name, length);
    to[length] = '\0';
}

// Obstacles and pieces both use this function, so that a client's polygons equal the server's to
// the bit.
static enum raim_map_error add_piece(struct raim_map *map, const raim_vec2 *points, int count,
                                     uint32_t seams)
{
    if (map->obstacle_count == RAIM_MAX_OBSTACLES)
        return RAIM_MAP_COUNT;
    raim_polygon_init_piece(&map->obstacles[map->obstacle_count++], points, count, seams);
    return RAIM_MAP_OK;
}

static struct raim_map_problem
add_obstacle(struct raim_map *map, const struct raim_obstacle_def *def, struct cutter *cutter)
{
    struct raim_map_outline *outline = &map->outlines[map->outline_count++];
    struct raim_map_problem problem = cut_obstacle(map->border, def, outline, cutter);
    outline->first_piece = map->obstacle_count;
    for (int i = 0; i < outline->piece_count && problem.error == RAIM_MAP_OK; i++) {
        map->outline_by_piece[map->obstacle_count] = (uint16_t)(outline - map->outlines);
        const raim_polygon *piece = &cutter->pieces[i];
        problem.error = add_piece(map, piece->points, piece->count, piece->seams);
    }
    return problem;
}

// Returns true for a polygon that a cut can produce: convex, counter-clockwise, of any size.
static bool is_valid_piece(const raim_vec2 *points, int count, uint32_t seams)
{
    raim_polygon polygon;
    const enum raim_polygon_error error = raim_polygon_init(&polygon, points, count);
    if (error != RAIM_POLYGON_OK && error != RAIM_POLYGON_SMALL_AREA)
        return false;
    const raim_vec2 before = raim_vec2_sub(points[1], points[0]);
    const raim_vec2 after = raim_vec2_sub(points[2], points[1]);
    return raim_vec2_cross(before, after) > 0 && seams >> count == 0;
}

static enum raim_map_error add_piece_def(struct raim_map *map, const struct raim_piece_def *def)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    for (int i = 0; i < def->count && i < RAIM_MAX_POLYGON_POINTS; i++)
        points[i] = raim_map_round(def->points[i]);
    if (!is_valid_piece(points, def->count, def->seams))
        return RAIM_MAP_PIECE;
    for (int i = 0; i < def->count; i++)
        if (!raim_box_contains(map->border, points[i]))
            return RAIM_MAP_OBSTACLE_OUTSIDE;
    return add_piece(map, points, def->count, def->seams);
}

static struct raim_map_problem add_obstacles(struct raim_map *map, const struct raim_map_def *def)
{
    struct raim_map_problem problem = {.error = RAIM_MAP_OK};
    if (def->obstacle_count == 0)
        return problem;
    struct cutter *cutter = malloc(sizeof *cutter);
    if (cutter == NULL)
        return (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    for (int i = 0; i < def->obstacle_count && problem.error == RAIM_MAP_OK; i++) {
        problem = add_obstacle(map, &def->obstacles[i], cutter);
        problem.index = i;
    }
    free(cutter);
    return problem;
}

// Fills the allocated arrays; the grid and the box index follow later.
static struct raim_map_problem fill_contents(struct raim_map *map, const struct raim_map_def *def)
{
    copy_name(map->name, def->name);
    struct raim_map_problem problem = add_obstacles(map, def);
    for (int i = 0; i < def->piece_count && problem.error == RAIM_MAP_OK; i++)
        problem =
            (struct raim_map_problem){.error = add_piece_def(map, &def->pieces[i]), .index = i};
    for (int i = 0; i < def->spawn_count && problem.error == RAIM_MAP_OK; i++) {
        map->spawns[i] = raim_map_round(def->spawns[i]);
        map->spawn_count++;
        problem = (struct raim_map_problem){.error = check_spawn(map, map->spawns[i]), .index = i};
    }
    return problem;
}

static int cells_in(const struct raim_map_span *span)
{
    return (span->last_column - span->first_column + 1) * (span->last_row - span->first_row + 1);
}

static int count_entries(const struct raim_map *map)
{
    int entries = 0;
    for (int i = 0; i < map->obstacle_count; i++) {
        const struct raim_map_span span = raim_map_span_of(&map->grid, map->obstacles[i].bounds);
        entries += cells_in(&span);
    }
    return entries;
}

// Chooses the size of the cells. Returns the number of their entries.
static int shape_grid(struct raim_map *map)
{
    const double width = map->border.max.x - map->border.min.x;
    const double height = map->border.max.y - map->border.min.y;
    double cell = sqrt(width * height / (CELLS_PER_OBSTACLE * (map->obstacle_count + 1)));
    cell = cell < min_cell_units ? min_cell_units : cell;
    map->grid.origin = map->border.min;
    for (;; cell *= 2) {
        map->grid.cells_per_unit = 1 / cell;
        map->grid.columns = (int)(width / cell) + 1;
        map->grid.rows = (int)(height / cell) + 1;
        const int entries = count_entries(map);
        if (entries <= ENTRIES_PER_OBSTACLE * map->obstacle_count)
            return entries;
    }
}

// A counting sort: counts the obstacles of each cell, adds the counts up to the ends of the cells,
// and fills each cell backwards, so that the ends become the starts.
static void fill_grid(struct raim_map *map)
{
    struct raim_map_grid *grid = &map->grid;
    const int cells = grid->columns * grid->rows;
    for (int i = 0; i < map->obstacle_count; i++) {
        const struct raim_map_span span = raim_map_span_of(grid, map->obstacles[i].bounds);
        for (int row = span.first_row; row <= span.last_row; row++)
            for (int column = span.first_column; column <= span.last_column; column++)
                grid->starts[row * grid->columns + column]++;
    }
    for (int cell = 1; cell <= cells; cell++)
        grid->starts[cell] += grid->starts[cell - 1];
    for (int i = map->obstacle_count - 1; i >= 0; i--) {
        const struct raim_map_span span = raim_map_span_of(grid, map->obstacles[i].bounds);
        for (int row = span.first_row; row <= span.last_row; row++)
            for (int column = span.first_column; column <= span.last_column; column++)
                grid->entries[--grid->starts[row * grid->columns + column]] = i;
    }
}

static bool make_grid(struct raim_map *map)
{
    const size_t entries = (size_t)shape_grid(map);
    const size_t cells = (size_t)map->grid.columns * (size_t)map->grid.rows;
    map->grid.starts = calloc(cells + 1, sizeof *map->grid.starts);
    map->grid.entries = calloc(entries + 1, sizeof *map->grid.entries);
    if (map->grid.starts == NULL || map->grid.entries == NULL)
        return false;
    fill_grid(map);
    return true;
}

static bool make_box_index(struct raim_map *map)
{
    if (!raim_box_index_create(&map->box_index, map->border, map->obstacle_count))
        return false;
    raim_box_index_begin(&map->box_index, map->obstacle_count);
    for (int i = 0; i < map->obstacle_count; i++)
        raim_box_index_add(&map->box_index, i, map->obstacles[i].bounds);
    raim_box_index_end(&map->box_index);
    return true;
}

static bool are_counts_valid(const struct raim_map_def *def)
{
    return def->obstacle_count >= 0 && def->obstacle_count <= RAIM_MAX_OBSTACLES &&
           def->piece_count >= 0 && def->piece_count <= RAIM_MAX_OBSTACLES &&
           def->spawn_count >= 0 && def->spawn_count <= RAIM_MAX_SPAWNS;
}

// Returns an upper bound of the number of pieces: an outline of n points has at most n - 2.
static size_t most_pieces(const struct raim_map_def *def)
{
    size_t pieces = (size_t)def->piece_count;
    for (int i = 0; i < def->obstacle_count; i++)
        pieces += (size_t)(def->obstacles[i].count > 2 ? def->obstacles[i].count - 2 : 0);
    return pieces < RAIM_MAX_OBSTACLES ? pieces : RAIM_MAX_OBSTACLES;
}

static struct raim_map_problem build(struct raim_map *map, const struct raim_map_def *def)
{
    map->border = round_box(def->border);
    if (!is_valid_border(map->border))
        return (struct raim_map_problem){.error = RAIM_MAP_BORDER};
    if (!are_counts_valid(def))
        return (struct raim_map_problem){.error = RAIM_MAP_COUNT};
    // One element more: calloc of 0 bytes may return NULL.
    map->obstacles = calloc(most_pieces(def) + 1, sizeof *map->obstacles);
    map->outlines = calloc((size_t)def->obstacle_count + 1, sizeof *map->outlines);
    map->outline_by_piece = calloc(most_pieces(def) + 1, sizeof *map->outline_by_piece);
    map->spawns = calloc((size_t)def->spawn_count + 1, sizeof *map->spawns);
    if (map->obstacles == NULL || map->outlines == NULL || map->outline_by_piece == NULL ||
        map->spawns == NULL)
        return (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    const struct raim_map_problem problem = fill_contents(map, def);
    // A client has no use for the distance field, which takes most of the time of creation.
    const bool is_of_client = def->piece_count > 0;
    if (problem.error == RAIM_MAP_OK &&
        (!make_grid(map) || !make_box_index(map) || !raim_map_clearance_create(map) ||
         (!is_of_client && !raim_distance_field_create(map))))
        return (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    return problem;
}

struct raim_map *raim_map_create(const struct raim_map_def *def, struct raim_map_problem *problem)
{
    *problem = (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    struct raim_map *map = calloc(1, sizeof *map);
    if (map == NULL)
        return NULL;
    *problem = build(map, def);
    if (problem->error == RAIM_MAP_OK)
        return map;
    raim_map_destroy(map);
    return NULL;
}

void raim_map_destroy(struct raim_map *map)
{
    if (map == NULL)
        return;
    raim_map_clearance_destroy(map);
    raim_distance_field_destroy(map);
    raim_box_index_destroy(&map->box_index);
    free(map->grid.entries);
    free(map->grid.starts);
    free(map->spawns);
    free(map->outline_by_piece);
    free(map->outlines);
    free(map->obstacles);
    free(map);
}
