// SPDX-License-Identifier: MIT
// Reads, checks and builds a map, and reports all mistakes of its file.
#include "map_file.h"

#include "config_keys.h"
#include "map_check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(CONFIG_NAME_BYTES == RAIM_MAP_NAME_BYTES, "config_is_name checks names of maps, too");
static_assert(RAIM_MAX_SPAWNS == 256 && RAIM_MAX_OBSTACLES == 4096 && RAIM_MAX_OUTLINE_POINTS == 64,
              "`expected` of the keys names the limits");

// More warnings would hide the mistakes.
enum { MAX_WARNINGS = 20 };

// A map under construction. The definition contains the valid parts only; the arrays of items map
// them to their indices in the file's lists.
struct draft {
    double radius; // of the players, in units
    struct diagnostics *diagnostics;
    struct {
        reader_node border, obstacles, spawns; // empty nodes if absent or not lists
    } lists;
    char name[RAIM_MAP_NAME_BYTES];
    struct raim_map_def def;
    struct raim_obstacle_def *obstacles;
    int *obstacle_items;
    raim_vec2 spawns[RAIM_MAX_SPAWNS];
    int spawn_items[RAIM_MAX_SPAWNS];
};

static bool parse_name(const char *text, void *field);

static const struct reader_key KEYS[] = {
    {.name = "name",
     .kind = READER_TEXT,
     .offset = offsetof(struct draft, name),
     .parse = parse_name,
     .expected = CONFIG_NAME_EXPECTED,
     .meaning = "name that players see; default is the name of the file without its extension"},
    {.name = "border",
     .kind = READER_LIST,
     .required = true,
     .expected = "( x_min, y_min, x_max, y_max ), at least 200 units each way",
     .meaning = "the solid outer walls"},
    {.name = "obstacles",
     .kind = READER_LIST,
     .expected = "up to 4096 lists of 3 to 64 corners ( x, y )",
     .meaning = "simple polygons, convex or not, that stop players and bullets"},
    {.name = "spawns",
     .kind = READER_LIST,
     .required = true,
     .expected = "a list of 1 to 256 points ( x, y )",
     .meaning = "where players appear"},
};

static struct raim_map *load(struct reader *reader, const char *path, double radius,
                             struct diagnostics *diagnostics);
static reader_node find_list(reader_node root, const char *name);
static void default_name(struct draft *draft, reader_node root, const char *path);
static void read_border(struct draft *draft);
static void read_obstacles(struct draft *draft);
static void read_spawns(struct draft *draft);
static struct raim_map *create_map(struct draft *draft);
static void warn_of_overlaps(const struct draft *draft, const struct raim_map *map);
static void check_spawns(const struct draft *draft, const struct raim_map *map);

const struct reader_key *map_file_keys(int *count)
{
    *count = (int)(sizeof KEYS / sizeof KEYS[0]);
    return KEYS;
}

struct raim_map *map_file_load(const char *path, const char *named_at, double radius,
                               struct diagnostics *diagnostics)
{
    return load(reader_open(path, named_at, diagnostics), path, radius, diagnostics);
}

struct raim_map *map_file_parse(const char *path, const char *text, double radius,
                                struct diagnostics *diagnostics)
{
    return load(reader_open_text(path, text, diagnostics), path, radius, diagnostics);
}

static struct raim_map *load(struct reader *reader, const char *path, double radius,
                             struct diagnostics *diagnostics)
{
    struct draft *draft = reader != NULL ? calloc(1, sizeof *draft) : NULL;
    if (draft == NULL) {
        if (reader != NULL)
            diagnostics_no_memory(diagnostics);
        reader_close(reader);
        return NULL;
    }
    const int problems = diagnostics->problems;
    const reader_node root = reader_root(reader);
    int key_count;
    const struct reader_key *keys = map_file_keys(&key_count);
    draft->radius = radius;
    draft->diagnostics = diagnostics;
    reader_fill(root, keys, key_count, draft, NULL);
    draft->lists.border = find_list(root, "border");
    draft->lists.obstacles = find_list(root, "obstacles");
    draft->lists.spawns = find_list(root, "spawns");
    default_name(draft, root, path);
    read_border(draft);
    read_obstacles(draft);
    read_spawns(draft);

    struct raim_map *map = create_map(draft);
    if (map != NULL) {
        warn_of_overlaps(draft, map);
        check_spawns(draft, map);
    }
    if (diagnostics->problems > problems) {
        raim_map_destroy(map);
        map = NULL;
    }
    free(draft->obstacle_items);
    free(draft->obstacles);
    free(draft);
    reader_close(reader);
    return map;
}

static reader_node find_list(reader_node root, const char *name)
{
    reader_node node = reader_find(root, name);
    if (!reader_is_list(node))
        node.setting = NULL;
    return node;
}

static bool parse_name(const char *text, void *field)
{
    const bool is_good = config_is_name(text);
    if (is_good)
        memcpy(field, text, strlen(text) + 1);
    return is_good;
}

// Uses the file's name without directory and extension for a map without a name.
static void default_name(struct draft *draft, reader_node root, const char *path)
{
    draft->def.name = draft->name;
    if (draft->name[0] != '\0')
        return;
    const char *slash = strrchr(path, '/');
    const char *stem = slash != NULL ? slash + 1 : path;
    const size_t length = strcspn(stem, ".");
    if (length < RAIM_MAP_NAME_BYTES) {
        memcpy(draft->name, stem, length);
        draft->name[length] = '\0';
    }
    if (reader_find(root, "name").setting == NULL && !config_is_name(draft->name))
        reader_error(root, "got no key \"name\" and a file name that cannot serve, want %s",
                     CONFIG_NAME_EXPECTED);
}

// Reads exactly `count` coordinates, or reports.
static bool read_coordinates(reader_node list, int count, const char *expected, double *coordinates)
{
    if (reader_count(list) != count) {
        reader_value_error(list, "%s", expected);
        return false;
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        const reader_node item = reader_item(list, i);
        good = reader_number(item, -RAIM_MAP_REACH, RAIM_MAP_REACH, &coordinates[i]) && good;
    }
    return good;
}

static bool read_point(reader_node node, raim_vec2 *point)
{
    double xy[2];
    if (!read_coordinates(node, 2, "a point ( x, y )", xy))
        return false;
    *point = (raim_vec2){xy[0], xy[1]};
    return true;
}

static void read_border(struct draft *draft)
{
    // The widest border, so that a wrong border causes no further messages about obstacles and
    // spawns.
    draft->def.border =
        (raim_box){{-RAIM_MAP_REACH, -RAIM_MAP_REACH}, {RAIM_MAP_REACH, RAIM_MAP_REACH}};
    double sides[4];
    const reader_node node = draft->lists.border;
    if (node.setting == NULL || !read_coordinates(node, 4, "x_min, y_min, x_max, y_max", sides))
        return;
    if (sides[2] - sides[0] < RAIM_MIN_BORDER || sides[3] - sides[1] < RAIM_MIN_BORDER) {
        reader_error(node,
                     "got a border of %.15g x %.15g units, want x_min, y_min, x_max, y_max at "
                     "least %g apart",
                     sides[2] - sides[0], sides[3] - sides[1], RAIM_MIN_BORDER);
        return;
    }
    draft->def.border = (raim_box){{sides[0], sides[1]}, {sides[2], sides[3]}};
}

static void report_crossing(reader_node node, const struct raim_obstacle_def *obstacle,
                            const struct raim_outline_problem *problem)
{
    const int count = obstacle->count;
    const raim_vec2 a = obstacle->points[problem->first_edge];
    const raim_vec2 b = obstacle->points[(problem->first_edge + 1) % count];
    const raim_vec2 c = obstacle->points[problem->second_edge];
    const raim_vec2 d = obstacle->points[(problem->second_edge + 1) % count];
    reader_error(node,
                 "got edge %d from (%.15g, %.15g) to (%.15g, %.15g) crossing or touching edge "
                 "%d from (%.15g, %.15g) to (%.15g, %.15g), want none to",
                 problem->first_edge, a.x, a.y, b.x, b.y, problem->second_edge, c.x, c.y, d.x, d.y);
}

// Checks that a polygon can be added to the map. Returns false after reporting the reason.
static bool check_obstacle(const struct draft *draft, reader_node node,
                           const struct raim_obstacle_def *obstacle)
{
    const struct raim_map_problem problem = raim_map_check_obstacle(draft->def.border, obstacle);
    if (problem.error == RAIM_MAP_OK)
        return true;
    if (problem.error == RAIM_MAP_MEMORY)
        diagnostics_no_memory(draft->diagnostics);
    else if (problem.error == RAIM_MAP_OBSTACLE_OUTSIDE)
        reader_error(node, "got a corner outside the border, want all inside");
    else if (problem.outline.error == RAIM_OUTLINE_CROSSING)
        report_crossing(node, obstacle, &problem.outline);
    else
        reader_error(node, "got an outline that %s, want a simple polygon",
                     raim_outline_error_text(problem.outline.error));
    return false;
}

static bool read_outline(reader_node node, struct raim_obstacle_def *obstacle)
{
    obstacle->count = reader_count(node);
    if (obstacle->count < 3 || obstacle->count > RAIM_MAX_OUTLINE_POINTS) {
        reader_value_error(node, "a list of 3 to %d corners", RAIM_MAX_OUTLINE_POINTS);
        return false;
    }
    bool good = true;
    for (int i = 0; i < obstacle->count; i++)
        good = read_point(reader_item(node, i), &obstacle->points[i]) && good;
    return good;
}

static void read_obstacles(struct draft *draft)
{
    const reader_node list = draft->lists.obstacles;
    const int count = reader_count(list);
    if (count > RAIM_MAX_OBSTACLES) {
        reader_value_error(list, "at most %d obstacles", RAIM_MAX_OBSTACLES);
        return;
    }
    draft->obstacles = calloc((size_t)count + 1, sizeof *draft->obstacles);
    draft->obstacle_items = calloc((size_t)count + 1, sizeof *draft->obstacle_items);
    if (draft->obstacles == NULL || draft->obstacle_items == NULL) {
        diagnostics_no_memory(draft->diagnostics);
        return;
    }
    draft->def.obstacles = draft->obstacles;
    for (int i = 0; i < count; i++) {
        const reader_node node = reader_item(list, i);
        const int next = draft->def.obstacle_count;
        draft->obstacle_items[next] = i;
        if (read_outline(node, &draft->obstacles[next]) &&
            check_obstacle(draft, node, &draft->obstacles[next]))
            draft->def.obstacle_count++;
    }
}

static void read_spawns(struct draft *draft)
{
    const reader_node list = draft->lists.spawns;
    const int count = reader_count(list);
    if (list.setting != NULL && (count < 1 || count > RAIM_MAX_SPAWNS)) {
        reader_value_error(list, "1 to %d spawns", RAIM_MAX_SPAWNS);
        return;
    }
    draft->def.spawns = draft->spawns;
    for (int i = 0; i < count; i++) {
        const int next = draft->def.spawn_count;
        draft->spawn_items[next] = i;
        if (read_point(reader_item(list, i), &draft->spawns[next]))
            draft->def.spawn_count++;
    }
}

static reader_node spawn_node(const struct draft *draft, int spawn)
{
    return reader_item(draft->lists.spawns, draft->spawn_items[spawn]);
}

// Reports a spawn that the map rejected and removes it from the draft.
static void reject_spawn(struct draft *draft, const struct raim_map_problem *problem)
{
    const int at = problem->index;
    const raim_vec2 spawn = draft->spawns[at];
    reader_error(spawn_node(draft, at), "got (%.15g, %.15g), want a point %s", spawn.x, spawn.y,
                 problem->error == RAIM_MAP_SPAWN_OUTSIDE ? "inside the border"
                                                          : "outside all obstacles");
    const int after = --draft->def.spawn_count - at;
    memmove(&draft->spawns[at], &draft->spawns[at + 1], (size_t)after * sizeof(raim_vec2));
    memmove(&draft->spawn_items[at], &draft->spawn_items[at + 1], (size_t)after * sizeof(int));
}

// Creates the map. raim_map_create reports one wrong spawn at a time; the loop removes it and tries
// again, so that all wrong spawns are reported.
static struct raim_map *create_map(struct draft *draft)
{
    while (draft->def.spawn_count > 0) {
        struct raim_map_problem problem;
        struct raim_map *map = raim_map_create(&draft->def, &problem);
        if (map != NULL)
            return map;
        switch (problem.error) {
        case RAIM_MAP_BORDER:
            // The border is too small after rounding to the map's grid.
            reader_value_error(draft->lists.border, "sides at least %g apart", RAIM_MIN_BORDER);
            return NULL;
        case RAIM_MAP_COUNT:
            reader_error(draft->lists.obstacles,
                         "got outlines of more than %d convex pieces, want fewer corners",
                         RAIM_MAX_OBSTACLES);
            return NULL;
        case RAIM_MAP_SPAWN_OUTSIDE:
        case RAIM_MAP_SPAWN_BLOCKED:
            reject_spawn(draft, &problem);
            break;
        default: // all other errors were checked before
            diagnostics_no_memory(draft->diagnostics);
            return NULL;
        }
    }
    return NULL;
}

static void warn_of_overlaps(const struct draft *draft, const struct raim_map *map)
{
    const reader_node list = draft->lists.obstacles;
    int warnings = 0;
    for (int i = 0; i < map->outline_count; i++) {
        for (int other = i; (other = raim_map_next_overlap(map, i, other)) >= 0;) {
            if (warnings++ == MAX_WARNINGS) {
                reader_warn(list, "more obstacles overlap");
                return;
            }
            reader_warn(reader_item(list, draft->obstacle_items[i]), "overlaps obstacles[%d]",
                        draft->obstacle_items[other]);
        }
    }
}

// The group with the most spawns; the first one on a tie.
static int largest_group(const int *group, int count)
{
    int members[RAIM_MAX_SPAWNS] = {0};
    int largest = 0;
    for (int i = 0; i < count; i++)
        members[group[i]]++;
    for (int i = 1; i < count; i++)
        largest = members[i] > members[largest] ? i : largest;
    return largest;
}

// Checks that a player fits at every spawn and that all spawns are reachable from each other.
static void check_spawns(const struct draft *draft, const struct raim_map *map)
{
    int group[RAIM_MAX_SPAWNS];
    if (!raim_map_group_spawns(map, draft->radius, group)) {
        diagnostics_no_memory(draft->diagnostics);
        return;
    }
    const int largest = largest_group(group, map->spawn_count);
    for (int i = 0; i < map->spawn_count; i++) {
        const raim_vec2 spawn = draft->spawns[i];
        if (!raim_map_is_free(map, map->spawns[i], draft->radius))
            reader_error(spawn_node(draft, i),
                         "got (%.15g, %.15g), want no wall within %.15g units of it "
                         "(rules.player_radius)",
                         spawn.x, spawn.y, draft->radius);
        else if (group[i] != largest)
            reader_error(spawn_node(draft, i),
                         "got (%.15g, %.15g), want a way to spawns[%d] for a circle of radius "
                         "%.15g (rules.player_radius)",
                         spawn.x, spawn.y, draft->spawn_items[largest], draft->radius);
    }
}
