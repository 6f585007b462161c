// SPDX-License-Identifier: MIT
// Computes the raster, the flow fields (a label-correcting search with a queue: Moore, The Shortest
// Path through a Maze, 1959) and the places.
#include "bot_paths.h"

#include "map_clearance.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const double least_cell_units = 24; // a door of two cells beyond a player's width is found
static const double margin_units = 1;      // from obstacles, at the centres of cells
enum {
    MAX_CELLS = 32768,
    DIRECTIONS = 8, // counter-clockwise, from the x axis on; odd ones are diagonal
    NO_STEP = DIRECTIONS,
    NO_CELL = -1,
    STRAIGHT = 5, // lengths of steps; their ratio is about that of a side and a diagonal
    DIAGONAL = 7,
    NEAR_WALL = 2, // a step beside an obstacle counts as this much longer
    MAX_SOURCES = 16,
    BIN = 8,    // side of the squares by which crossings are compared, in cells
    AHEAD = 8,  // cells that a bot looks ahead on its path
    NEARBY = 3, // cells around a position in which its path may begin
};

struct raim_bot_paths {
    const struct raim_map *map;
    double radius, cell_units;
    int columns, rows;
    uint8_t *exits; // by cell: a bit for each direction in which a player can run to the next cell
    uint8_t *steps; // by place, then cell: the direction of the next step, or NO_STEP
    uint32_t place_count;
    int places[RAIM_BOT_MAX_PLACES]; // cells
};

// Memory of the computation, by cell.
struct scratch {
    uint32_t *length; // of the path to the source
    int *queue;
    uint8_t *is_queued;
    uint8_t *steps;
    uint32_t *crossings; // of shortest paths between spawn points
};

static int cell_count(const struct raim_bot_paths *paths)
{
    return paths->columns * paths->rows;
}

static raim_vec2 centre_of(const struct raim_bot_paths *paths, int cell)
{
    const raim_vec2 offset = {cell % paths->columns + 0.5, cell / paths->columns + 0.5};
    return raim_vec2_mad(paths->map->border.min, offset, paths->cell_units);
}

static const int8_t ways[DIRECTIONS][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                           {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

// The cell beside another one in a direction, inside the raster.
static int step(const struct raim_bot_paths *paths, int cell, int direction)
{
    return cell + ways[direction][1] * paths->columns + ways[direction][0];
}

// The same, or NO_CELL outside the raster.
static int next_cell(const struct raim_bot_paths *paths, int cell, int direction)
{
    const int column = cell % paths->columns + ways[direction][0];
    const int row = cell / paths->columns + ways[direction][1];
    const bool is_inside = column >= 0 && column < paths->columns && row >= 0 && row < paths->rows;
    return is_inside ? step(paths, cell, direction) : NO_CELL;
}

static bool can_run(const struct raim_bot_paths *paths, raim_vec2 from, raim_vec2 to)
{
    const raim_vec2 run = raim_vec2_sub(to, from);
    return raim_map_sweep(paths->map, from, run, paths->radius) > 1;
}

static void find_exits(struct raim_bot_paths *paths)
{
    const double free_radius = paths->radius + margin_units;
    for (int cell = 0; cell < cell_count(paths); cell++) {
        const raim_vec2 centre = centre_of(paths, cell);
        if (!raim_map_is_free(paths->map, centre, free_radius))
            continue;
        const bool is_open =
            raim_map_is_clear(paths->map, centre, free_radius + 1.5 * paths->cell_units);
        for (int direction = 0; direction < DIRECTIONS / 2; direction++) {
            const int next = next_cell(paths, cell, direction);
            if (next == NO_CELL)
                continue;
            const raim_vec2 end = centre_of(paths, next);
            if (!is_open &&
                (!raim_map_is_free(paths->map, end, free_radius) || !can_run(paths, centre, end)))
                continue;
            paths->exits[cell] |= (uint8_t)(1 << direction);
            paths->exits[next] |= (uint8_t)(1 << (direction + DIRECTIONS / 2));
        }
    }
}

// Fills `steps` with the first step of the shortest path from every cell to `source`.
static void find_steps(const struct raim_bot_paths *paths, int source, struct scratch *scratch,
                       uint8_t *steps)
{
    const int cells = cell_count(paths);
    int first = 0, end = 1; // of the queue, a ring that holds each cell once at most
    memset(scratch->length, 0xff, (size_t)cells * sizeof *scratch->length);
    memset(steps, NO_STEP, (size_t)cells);
    scratch->length[source] = 0;
    scratch->queue[0] = source;
    while (first != end) {
        const int cell = scratch->queue[first];
        first = first < cells ? first + 1 : 0;
        scratch->is_queued[cell] = 0;
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            if ((paths->exits[cell] >> direction & 1) == 0)
                continue;
            const int next = step(paths, cell, direction);
            const uint32_t length = scratch->length[cell] +
                                    (direction % 2 == 0 ? STRAIGHT : DIAGONAL) +
                                    (paths->exits[next] != UINT8_MAX ? NEAR_WALL : 0);
            if (length >= scratch->length[next])
                continue;
            scratch->length[next] = length;
            steps[next] = (uint8_t)((direction + DIRECTIONS / 2) % DIRECTIONS);
            if (scratch->is_queued[next])
                continue;
            scratch->is_queued[next] = 1;
            scratch->queue[end] = next;
            end = end < cells ? end + 1 : 0;
        }
    }
}

// The cell of a position, or the first one with an exit around it; NO_CELL where there is none.
static int find_cell(const struct raim_bot_paths *paths, raim_vec2 position)
{
    const raim_vec2 offset = raim_vec2_sub(position, paths->map->border.min);
    const int column = raim_map_cell_of(offset.x / paths->cell_units, paths->columns);
    const int row = raim_map_cell_of(offset.y / paths->cell_units, paths->rows);
    for (int ring = 0; ring <= NEARBY; ring++)
        for (int y = row - ring; y <= row + ring; y++)
            for (int x = column - ring; x <= column + ring; x++) {
                const bool is_inside = x >= 0 && x < paths->columns && y >= 0 && y < paths->rows;
                if (is_inside && paths->exits[y * paths->columns + x] != 0)
                    return y * paths->columns + x;
            }
    return NO_CELL;
}

// Counts, for every cell, the shortest paths between spawn points that cross it.
static void count_crossings(const struct raim_bot_paths *paths, struct scratch *scratch)
{
    const struct raim_map *map = paths->map;
    const int sources = map->spawn_count < MAX_SOURCES ? map->spawn_count : MAX_SOURCES;
    for (int i = 0; i < sources; i++) {
        const int source = find_cell(paths, map->spawns[i * map->spawn_count / sources]);
        if (source == NO_CELL)
            continue;
        find_steps(paths, source, scratch, scratch->steps);
        for (int from = 0; from < map->spawn_count; from++) {
            int cell = find_cell(paths, map->spawns[from]);
            while (cell != NO_CELL && scratch->steps[cell] != NO_STEP) {
                scratch->crossings[cell]++;
                cell = step(paths, cell, scratch->steps[cell]);
            }
        }
    }
}

// Returns the busiest cell of the busiest square, or NO_CELL where nothing is left.
static int find_busiest(const struct raim_bot_paths *paths, const struct scratch *scratch)
{
    uint32_t most = 0;
    int busiest = NO_CELL;
    for (int row = 0; row < paths->rows; row += BIN)
        for (int column = 0; column < paths->columns; column += BIN) {
            uint32_t sum = 0, most_here = 0;
            int here = NO_CELL;
            for (int y = row; y < row + BIN && y < paths->rows; y++)
                for (int x = column; x < column + BIN && x < paths->columns; x++) {
                    const uint32_t crossings = scratch->crossings[y * paths->columns + x];
                    sum += crossings;
                    if (crossings > most_here) {
                        most_here = crossings;
                        here = y * paths->columns + x;
                    }
                }
            if (sum > most) {
                most = sum;
                busiest = here;
            }
        }
    return busiest;
}

static void find_places(struct raim_bot_paths *paths, struct scratch *scratch)
{
    // Places are this far apart, squared.
    const double apart = cell_count(paths) * paths->cell_units * paths->cell_units / 36;
    while (paths->place_count < RAIM_BOT_MAX_PLACES) {
        const int place = find_busiest(paths, scratch);
        if (place == NO_CELL)
            return;
        for (int cell = 0; cell < cell_count(paths); cell++)
            if (raim_vec2_distance_squared(centre_of(paths, cell), centre_of(paths, place)) < apart)
                scratch->crossings[cell] = 0;
        find_steps(paths, place, scratch,
                   paths->steps + (size_t)paths->place_count * (size_t)cell_count(paths));
        paths->places[paths->place_count++] = place;
    }
}

static bool compute(struct raim_bot_paths *paths)
{
    const size_t cells = (size_t)cell_count(paths);
    struct scratch scratch = {
        .length = malloc(cells * sizeof *scratch.length),
        .queue = malloc((cells + 1) * sizeof *scratch.queue),
        .is_queued = calloc(cells, 1),
        .steps = malloc(cells),
        .crossings = calloc(cells, sizeof *scratch.crossings),
    };
    const bool good = scratch.length != NULL && scratch.queue != NULL &&
                      scratch.is_queued != NULL && scratch.steps != NULL &&
                      scratch.crossings != NULL;
    if (good) {
        find_exits(paths);
        count_crossings(paths, &scratch);
        find_places(paths, &scratch);
    }
    free(scratch.length);
    free(scratch.queue);
    free(scratch.is_queued);
    free(scratch.steps);
    free(scratch.crossings);
    return good;
}

struct raim_bot_paths *raim_bot_paths_create(const struct raim_map *map, double radius)
{
    struct raim_bot_paths *paths = calloc(1, sizeof *paths);
    if (paths == NULL)
        return NULL;
    const raim_vec2 size = raim_vec2_sub(map->border.max, map->border.min);
    paths->map = map;
    paths->radius = radius;
    paths->cell_units = fmax(least_cell_units, sqrt(size.x * size.y / MAX_CELLS));
    paths->columns = (int)(size.x / paths->cell_units) + 1;
    paths->rows = (int)(size.y / paths->cell_units) + 1;
    paths->exits = calloc((size_t)cell_count(paths), 1);
    paths->steps = malloc(RAIM_BOT_MAX_PLACES * (size_t)cell_count(paths));
    if (paths->exits != NULL && paths->steps != NULL && compute(paths))
        return paths;
    raim_bot_paths_destroy(paths);
    return NULL;
}

void raim_bot_paths_destroy(struct raim_bot_paths *paths)
{
    if (paths == NULL)
        return;
    free(paths->exits);
    free(paths->steps);
    free(paths);
}

uint32_t raim_bot_paths_places(const struct raim_bot_paths *paths)
{
    return paths->place_count;
}

raim_vec2 raim_bot_paths_place(const struct raim_bot_paths *paths, uint32_t place)
{
    assert(place < paths->place_count);
    return centre_of(paths, paths->places[place]);
}

raim_vec2 raim_bot_paths_next(const struct raim_bot_paths *paths, raim_vec2 position,
                              uint32_t place)
{
    assert(place < paths->place_count);
    const uint8_t *steps = paths->steps + (size_t)place * (size_t)cell_count(paths);
    int cell = find_cell(paths, position);
    if (cell == NO_CELL)
        return position;
    int ahead[AHEAD], count = 0;
    while (count < AHEAD && steps[cell] != NO_STEP)
        cell = ahead[count++] = step(paths, cell, steps[cell]);
    // The farthest of a few cells of the path.
    for (; count > 1; count /= 2)
        if (can_run(paths, position, centre_of(paths, ahead[count - 1])))
            break;
    return count > 0 ? centre_of(paths, ahead[count - 1]) : centre_of(paths, cell);
}
