// SPDX-License-Identifier: MIT
// Turns a map file into a map, or into the list of all its mistakes.
#include "map_file.h"

#include "config_keys.h"
#include "memory.h"

#include <assert.h>
#include <string.h>

static_assert(RAIM_MAX_SPAWNS == 256 && RAIM_MAX_OBSTACLES == 4096, "the keys' wants say so");

struct map_keys {
    const char *name;
    reader_node border, obstacles, spawns;
};

static const struct reader_key KEYS[] = {
    {.name = "name",
     .kind = READER_TEXT,
     .offset = offsetof(struct map_keys, name),
     .accepts = config_is_name,
     .want = CONFIG_NAME_WANT,
     .meaning = "name that players see, that of the file where it is absent"},
    {.name = "border",
     .kind = READER_LIST,
     .offset = offsetof(struct map_keys, border),
     .required = true,
     .want = "( x_min, y_min, x_max, y_max ), at least 200 units each way",
     .meaning = "the solid outer walls"},
    {.name = "obstacles",
     .kind = READER_LIST,
     .offset = offsetof(struct map_keys, obstacles),
     .want = "up to 4096 lists of 3 to 16 corners ( x, y )",
     .meaning = "convex polygons that stop players and bullets, corners in either winding"},
    {.name = "spawns",
     .kind = READER_LIST,
     .offset = offsetof(struct map_keys, spawns),
     .required = true,
     .want = "a list of 1 to 256 points ( x, y )",
     .meaning = "where players appear"},
};

// A map in the making. Only what is good so far is in the definition; `spawn_nodes` tells where
// each of its spawns came from.
struct draft {
    struct report *report;
    struct map_keys keys;
    struct raim_map_def def;
    struct raim_obstacle_def *obstacles;
    raim_vec2 spawns[RAIM_MAX_SPAWNS];
    reader_node spawn_nodes[RAIM_MAX_SPAWNS];
};

static struct raim_map *load(struct reader *reader, const char *path, struct report *report);
static void read_name(struct draft *draft, reader_node root, const char *path, char *name);
static void read_border(struct draft *draft);
static void read_obstacles(struct draft *draft);
static void read_spawns(struct draft *draft);
static struct raim_map *create_map(struct draft *draft);

const struct reader_key *map_file_keys(int *count)
{
    *count = (int)(sizeof KEYS / sizeof KEYS[0]);
    return KEYS;
}

struct raim_map *map_file_load(const char *path, const char *asker, struct report *report)
{
    return load(reader_open(path, asker, report), path, report);
}

struct raim_map *map_file_parse(const char *path, const char *text, struct report *report)
{
    return load(reader_open_text(path, text, report), path, report);
}

static struct raim_map *load(struct reader *reader, const char *path, struct report *report)
{
    if (reader == NULL)
        return NULL;
    const int problems = report->problems;
    const reader_node root = reader_root(reader);
    char name[RAIM_MAP_NAME_BYTES] = "";
    int key_count;
    const struct reader_key *keys = map_file_keys(&key_count);

    struct draft *draft = memory_must(calloc(1, sizeof *draft));
    draft->report = report;
    reader_fill(root, keys, key_count, &draft->keys);
    read_name(draft, root, path, name);
    read_border(draft);
    read_obstacles(draft);
    read_spawns(draft);

    struct raim_map *map = create_map(draft);
    if (report->problems > problems) {
        raim_map_destroy(map);
        map = NULL;
    }
    free(draft->obstacles);
    free(draft);
    reader_close(reader);
    return map;
}

// The file's name without its directory and extension serves where the map has no name.
static void read_name(struct draft *draft, reader_node root, const char *path, char *name)
{
    draft->def.name = name;
    if (draft->keys.name != NULL) {
        memcpy(name, draft->keys.name, strlen(draft->keys.name) + 1);
        return;
    }
    const char *slash = strrchr(path, '/');
    const char *stem = slash != NULL ? slash + 1 : path;
    const size_t length = strcspn(stem, ".");
    if (length < RAIM_MAP_NAME_BYTES) {
        memcpy(name, stem, length);
        name[length] = '\0';
    }
    if (reader_member(root, "name").setting == root.setting && !config_is_name(name))
        reader_complain(root, "got no key \"name\" and a file name that cannot serve, want %s",
                        CONFIG_NAME_WANT);
}

// Reads exactly `count` coordinates, or reports.
static bool read_coordinates(reader_node list, int count, const char *want, double *coordinates)
{
    if (reader_count(list) != count) {
        reader_refuse(list, "%s", want);
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
    // Wide enough that nothing else is blamed for a border that is wrong.
    draft->def.border =
        (raim_box){{-RAIM_MAP_REACH, -RAIM_MAP_REACH}, {RAIM_MAP_REACH, RAIM_MAP_REACH}};
    double sides[4];
    const reader_node node = draft->keys.border;
    if (node.setting == NULL || !read_coordinates(node, 4, "x_min, y_min, x_max, y_max", sides))
        return;
    if (sides[2] - sides[0] < RAIM_MIN_BORDER || sides[3] - sides[1] < RAIM_MIN_BORDER) {
        reader_complain(node,
                        "got a border of %.15g x %.15g units, want x_min, y_min, x_max, y_max at "
                        "least %g apart",
                        sides[2] - sides[0], sides[3] - sides[1], RAIM_MIN_BORDER);
        return;
    }
    draft->def.border = (raim_box){{sides[0], sides[1]}, {sides[2], sides[3]}};
}

// Says whether a polygon may be added to the map, or reports why not.
static bool check_obstacle(const struct draft *draft, reader_node node,
                           const struct raim_obstacle_def *obstacle)
{
    const struct raim_map_problem problem = raim_map_check_obstacle(draft->def.border, obstacle);
    if (problem.error == RAIM_MAP_OK)
        return true;
    if (problem.error == RAIM_MAP_OBSTACLE_OUTSIDE)
        reader_complain(node, "got a corner outside the border, want all inside");
    else
        reader_complain(node, "got a polygon that %s, want a convex one",
                        raim_polygon_error_text(problem.polygon_error));
    return false;
}

static void read_obstacles(struct draft *draft)
{
    const reader_node list = draft->keys.obstacles;
    const int count = reader_count(list);
    if (count > RAIM_MAX_OBSTACLES) {
        reader_refuse(list, "at most %d obstacles", RAIM_MAX_OBSTACLES);
        return;
    }
    draft->obstacles = memory_must(calloc((size_t)count + 1, sizeof *draft->obstacles));
    draft->def.obstacles = draft->obstacles;
    for (int i = 0; i < count; i++) {
        const reader_node node = reader_item(list, i);
        struct raim_obstacle_def *obstacle = &draft->obstacles[draft->def.obstacle_count];
        obstacle->count = reader_count(node);
        if (obstacle->count < 3 || obstacle->count > RAIM_MAX_POLYGON_POINTS) {
            reader_refuse(node, "a list of 3 to %d corners", RAIM_MAX_POLYGON_POINTS);
            continue;
        }
        bool good = true;
        for (int p = 0; p < obstacle->count; p++)
            good = read_point(reader_item(node, p), &obstacle->points[p]) && good;
        if (good && check_obstacle(draft, node, obstacle))
            draft->def.obstacle_count++;
    }
}

static void read_spawns(struct draft *draft)
{
    const reader_node list = draft->keys.spawns;
    const int count = reader_count(list);
    if (list.setting != NULL && (count < 1 || count > RAIM_MAX_SPAWNS)) {
        reader_refuse(list, "1 to %d spawns", RAIM_MAX_SPAWNS);
        return;
    }
    draft->def.spawns = draft->spawns;
    for (int i = 0; i < count; i++) {
        const int next = draft->def.spawn_count;
        draft->spawn_nodes[next] = reader_item(list, i);
        if (read_point(draft->spawn_nodes[next], &draft->spawns[next]))
            draft->def.spawn_count++;
    }
}

// Takes a spawn that the map refused out of the draft, so that the next one can be tried.
static void refuse_spawn(struct draft *draft, const struct raim_map_problem *problem)
{
    const int at = problem->index;
    const raim_vec2 spawn = draft->spawns[at];
    reader_complain(draft->spawn_nodes[at], "got (%.15g, %.15g), want a point %s", spawn.x, spawn.y,
                    problem->error == RAIM_MAP_SPAWN_OUTSIDE ? "inside the border"
                                                             : "outside all obstacles");
    const int after = --draft->def.spawn_count - at;
    memmove(&draft->spawns[at], &draft->spawns[at + 1], (size_t)after * sizeof(raim_vec2));
    memmove(&draft->spawn_nodes[at], &draft->spawn_nodes[at + 1],
            (size_t)after * sizeof(reader_node));
}

// Only creation judges spawns: it names one that is wrong, and is tried again without it.
static struct raim_map *create_map(struct draft *draft)
{
    while (draft->def.spawn_count > 0) {
        struct raim_map_problem problem;
        struct raim_map *map = raim_map_create(&draft->def, &problem);
        if (map != NULL)
            return map;
        if (problem.error == RAIM_MAP_MEMORY)
            abort(); // as memory_must would
        if (problem.error == RAIM_MAP_BORDER) {
            // Good as written, too small once rounded to the map's grid.
            reader_refuse(draft->keys.border, "sides at least %g apart", RAIM_MIN_BORDER);
            return NULL;
        }
        refuse_spawn(draft, &problem);
    }
    return NULL;
}
