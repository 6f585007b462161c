// SPDX-License-Identifier: MIT
// Checks what a map is made from and lays its obstacles out in a grid.
#include "map.h"

#include "map_grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Cells narrower than this, in units, save no more tests than a player's own width costs.
static const double min_cell_units = 32;

enum {
    CELLS_PER_OBSTACLE = 4,    // about; fewer cells hold more obstacles each
    ENTRIES_PER_OBSTACLE = 16, // at most: many large obstacles get larger cells, not more memory
};

static double round_to_grid(double value)
{
    return floor(value * RAIM_MAP_STEPS + 0.5) / RAIM_MAP_STEPS;
}

static raim_vec2 round_point(raim_vec2 point)
{
    return (raim_vec2){round_to_grid(point.x), round_to_grid(point.y)};
}

static raim_box round_box(raim_box box)
{
    return (raim_box){round_point(box.min), round_point(box.max)};
}

static bool is_good_border(raim_box border)
{
    // Written so that a NaN fails.
    return border.min.x >= -RAIM_MAP_REACH && border.max.x <= RAIM_MAP_REACH &&
           border.min.y >= -RAIM_MAP_REACH && border.max.y <= RAIM_MAP_REACH &&
           border.max.x - border.min.x >= RAIM_MIN_BORDER &&
           border.max.y - border.min.y >= RAIM_MIN_BORDER;
}

static struct raim_map_problem make_obstacle(raim_box border, const struct raim_obstacle_def *def,
                                             raim_polygon *polygon)
{
    raim_vec2 points[RAIM_MAX_POLYGON_POINTS];
    for (int i = 0; i < def->count && i < RAIM_MAX_POLYGON_POINTS; i++)
        points[i] = round_point(def->points[i]);
    const enum raim_polygon_error error = raim_polygon_init(polygon, points, def->count);
    if (error != RAIM_POLYGON_OK)
        return (struct raim_map_problem){RAIM_MAP_OBSTACLE, error, 0};
    if (!raim_box_contains(border, polygon->bounds.min) ||
        !raim_box_contains(border, polygon->bounds.max))
        return (struct raim_map_problem){.error = RAIM_MAP_OBSTACLE_OUTSIDE};
    return (struct raim_map_problem){.error = RAIM_MAP_OK};
}

struct raim_map_problem raim_map_check_obstacle(raim_box border,
                                                const struct raim_obstacle_def *obstacle)
{
    raim_polygon polygon;
    return make_obstacle(round_box(border), obstacle, &polygon);
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

// Everything but the grid; the arrays are allocated.
static struct raim_map_problem fill(struct raim_map *map, const struct raim_map_def *def)
{
    copy_name(map->name, def->name);
    for (int i = 0; i < def->obstacle_count; i++) {
        struct raim_map_problem problem =
            make_obstacle(map->border, &def->obstacles[i], &map->obstacles[i]);
        problem.index = i;
        if (problem.error != RAIM_MAP_OK)
            return problem;
        map->obstacle_count++;
    }
    for (int i = 0; i < def->spawn_count; i++) {
        map->spawns[i] = round_point(def->spawns[i]);
        const enum raim_map_error error = check_spawn(map, map->spawns[i]);
        if (error != RAIM_MAP_OK)
            return (struct raim_map_problem){.error = error, .index = i};
        map->spawn_count++;
    }
    return (struct raim_map_problem){.error = RAIM_MAP_OK};
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

// Chooses the cells' size; returns how many entries they will hold.
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

// Counts each cell's obstacles, turns the counts into where each cell ends, and fills the cells
// from their ends, so that the ends become the starts.
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

static struct raim_map_problem make(struct raim_map *map, const struct raim_map_def *def)
{
    map->border = round_box(def->border);
    if (!is_good_border(map->border))
        return (struct raim_map_problem){.error = RAIM_MAP_BORDER};
    if (def->obstacle_count < 0 || def->obstacle_count > RAIM_MAX_OBSTACLES ||
        def->spawn_count < 0 || def->spawn_count > RAIM_MAX_SPAWNS)
        return (struct raim_map_problem){.error = RAIM_MAP_COUNT};
    // One more of each: an allocation of nothing may be NULL.
    map->obstacles = calloc((size_t)def->obstacle_count + 1, sizeof *map->obstacles);
    map->spawns = calloc((size_t)def->spawn_count + 1, sizeof *map->spawns);
    if (map->obstacles == NULL || map->spawns == NULL)
        return (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    const struct raim_map_problem problem = fill(map, def);
    if (problem.error == RAIM_MAP_OK && !make_grid(map))
        return (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    return problem;
}

struct raim_map *raim_map_create(const struct raim_map_def *def, struct raim_map_problem *problem)
{
    *problem = (struct raim_map_problem){.error = RAIM_MAP_MEMORY};
    struct raim_map *map = calloc(1, sizeof *map);
    if (map == NULL)
        return NULL;
    *problem = make(map, def);
    if (problem->error == RAIM_MAP_OK)
        return map;
    raim_map_destroy(map);
    return NULL;
}

void raim_map_destroy(struct raim_map *map)
{
    if (map == NULL)
        return;
    free(map->grid.entries);
    free(map->grid.starts);
    free(map->spawns);
    free(map->obstacles);
    free(map);
}
