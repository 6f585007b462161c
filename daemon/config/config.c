// SPDX-License-Identifier: MIT
// Loads the daemon's file and its maps, and checks what single keys cannot tell.
#define _GNU_SOURCE
#include "config.h"

#include "config_keys.h"
#include "config_values.h"
#include "embedded.h"
#include "map_file.h"
#include "source.h"
#include "world.h"
#include "xalloc.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_BYTES = 512 };

// One arena while loading.
struct entry {
    reader_node node; // its group in the file
    bool is_good;     // nothing about its own keys was reported
};

// A map that an arena plays on, while loading.
struct ask {
    reader_node node; // that names it
    char *path;       // owned
    double radius;    // of the arena's players
    const struct raim_map **map;
};

struct asks {
    int count;
    struct ask *items; // room for every map of every arena
};

static const struct raim_map *keep_map(struct config *config, struct raim_map *map);
static void load_rotation(struct config_arena *arena, reader_node list, struct asks *asks,
                          const char *path);
static void load_status(struct config *config, const char *status);
static void load_hosts(struct http_guard *guard, reader_node list);
static void load_token(struct http_guard *guard, reader_node root, const char *config_path,
                       const char *path);
static void load_arenas(struct config *config, reader_node list, const char *path,
                        struct diagnostics *report);
static void copy_text(char *to, size_t capacity, const char *from);
static raim_rules load_rules(reader_node group);
static struct gate_limits load_limits(reader_node group);

// --- Public ---

struct config *config_load(const char *path, FILE *out)
{
    struct diagnostics report = {.out = out};
    return config_load_reported(path, &report);
}

struct config *config_load_reported(const char *path, struct diagnostics *report)
{
    const int problems = report->problems;
    struct path_list directories = {0};
    report->directories = &directories;
    struct reader *reader = reader_open(path, NULL, report);
    if (reader == NULL) {
        path_list_clear(&directories);
        return NULL;
    }

    struct config_root_keys keys;
    int key_count;
    const struct reader_key *table = config_keys(CONFIG_ROOT, &key_count);
    reader_fill(reader_root(reader), table, key_count, &keys);

    struct config *config = memory_must(calloc(1, sizeof *config));
    config->workers = keys.workers;
    config->sandbox = keys.sandbox;
    config->core_dumps = keys.core_dumps;
    log_level_find(keys.log_level, &config->log_level);
    load_status(config, keys.status);
    load_hosts(&config->status_guard, keys.status_hosts);
    if (keys.live_token_file[0] != '\0')
        load_token(&config->status_guard, reader_root(reader), path, keys.live_token_file);
    copy_text(config->control, sizeof config->control, keys.control);
    if (keys.arenas.setting != NULL)
        load_arenas(config, keys.arenas, path, report);
    if (report->problems == problems)
        config->values = config_values_collect(reader_root(reader));
    reader_close(reader);
    report->directories = NULL;
    config->directories = directories;
    if (config->values != NULL)
        return config;
    config_unload(config);
    return NULL;
}

static void add_demo_arena(struct config *config, const char *name, uint16_t port, uint32_t bots,
                           const char *map)
{
    struct diagnostics report = {.out = stderr};
    struct config_arena arena = {
        .address = "127.0.0.1",
        .port = port,
        .max_players = 64,
        .max_spectators = 8,
        .spectator_delay_s = 0, // nobody is there to be cheated
        .bots = bots,
        .tick_hz = 60,
        .view_width = 1600,
        .view_height = 861,
        .sight = true,
        .lag_compensation_ms = 200,
        .resume_grace_s = 30,
        .idle_timeout_s = 60,
        .queries = true,
        .query_names = true,
        .break_s = 10,
        .address_validation = true,
        .limits = GATE_LIMITS_DEFAULT,
        .rules = raim_rules_default(),
    };
    copy_text(arena.name, sizeof arena.name, name);
    arena.map = keep_map(config, map_file_parse(name, map, arena.rules.player_radius, &report));
    assert(arena.map != NULL); // the tests load what is built in
    config->arenas[config->arena_count++] = arena;
}

struct config *config_demo(void)
{
    struct config *config = memory_must(calloc(1, sizeof *config));
    config->log_level = LOG_LEVEL_INFO;
    config->sandbox = true;
    load_status(config, "127.0.0.1:7246");
    config->arenas = memory_must(calloc(2, sizeof *config->arenas));
    config->maps = memory_must(calloc(2, sizeof *config->maps));
    add_demo_arena(config, "duel", 7246, 6, embedded_map_duel);
    add_demo_arena(config, "crossfire", 7247, 12, embedded_map_crossfire);
    return config;
}

struct config *config_load_map(const char *config_path, const char *path, double radius,
                               struct diagnostics *report)
{
    char *resolved = source_resolve(config_path, path);
    struct raim_map *map = map_file_load(resolved, NULL, radius, report);
    free(resolved);
    if (map == NULL)
        return NULL;
    struct config *config = memory_must(calloc(1, sizeof *config));
    config->maps = memory_must(calloc(1, sizeof *config->maps));
    keep_map(config, map);
    return config;
}

struct config *config_share(struct config *config)
{
    config->sharers++;
    return config;
}

void config_unload(struct config *config)
{
    if (config == NULL || config->sharers-- > 0)
        return;
    for (int i = 0; i < config->map_count; i++)
        raim_map_destroy(config->maps[i]);
    config_values_free(config->values);
    path_list_clear(&config->directories);
    free(config->maps);
    free(config->arenas);
    free(config);
}

// --- Loading ---

// Takes a map, or NULL, for the configuration's lifetime.
static const struct raim_map *keep_map(struct config *config, struct raim_map *map)
{
    if (map != NULL)
        config->maps[config->map_count++] = map;
    return map;
}

// Cannot be too long where the key's check was passed.
static void copy_text(char *to, size_t capacity, const char *from)
{
    const size_t length = strlen(from);
    assert(length < capacity);
    memcpy(to, from, length + 1);
}

static void load_status(struct config *config, const char *status)
{
    config->status_enabled =
        config_split_address(status, config->status_address, &config->status_port);
}

static void load_hosts(struct http_guard *guard, reader_node list)
{
    const int count = reader_count(list);
    if (count > HTTP_MAX_HOSTS) {
        reader_refuse(list, "a list of at most %d names of hosts", HTTP_MAX_HOSTS);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *name;
        if (reader_text(reader_item(list, i), http_guard_is_name,
                        "the name of a host, without scheme and port", &name))
            copy_text(guard->hosts[guard->host_count++], HTTP_HOST_BYTES, name);
    }
}

// The first line of a file that not everybody may read; false with a reason.
static bool read_token(const char *path, char token[HTTP_TOKEN_BYTES], const char **problem)
{
    char text[HTTP_TOKEN_BYTES + 1] = "";
    struct stat status;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool is_open = file >= 0 && fstat(file, &status) == 0;
    *problem = is_open ? NULL : strerror(errno);
    if (is_open && !S_ISREG(status.st_mode))
        *problem = "it is not a regular file";
    else if (is_open && (status.st_mode & S_IRWXO) != 0)
        *problem = "everybody may open it, want mode 0640 or less";
    else if (is_open && read(file, text, sizeof text - 1) < 0)
        *problem = strerror(errno);
    if (file >= 0)
        close(file);
    text[strcspn(text, "\n")] = '\0';
    if (*problem == NULL && !http_guard_is_token(text))
        *problem = "want a line of 16 to 128 letters, digits and -._~+/=";
    if (*problem == NULL)
        strcpy(token, text);
    return *problem == NULL;
}

static void load_token(struct http_guard *guard, reader_node root, const char *config_path,
                       const char *path)
{
    const char *problem;
    char *resolved = source_resolve(config_path, path);
    if (!read_token(resolved, guard->token, &problem))
        reader_complain(reader_member(root, "live_token_file"), "cannot take \"%s\": %s", resolved,
                        problem);
    free(resolved);
}

// Remembers that a map is to be loaded once all arenas are known.
static void ask_map(struct asks *asks, reader_node node, const char *file, const char *path,
                    double radius, const struct raim_map **map)
{
    asks->items[asks->count++] = (struct ask){
        .node = node,
        .path = source_resolve(file, path),
        .radius = radius,
        .map = map,
    };
}

static void load_arena(struct config_arena *arena, reader_node group, struct asks *asks,
                       const char *path)
{
    struct config_arena_keys keys;
    int key_count;
    const struct reader_key *table = config_keys(CONFIG_ARENA, &key_count);
    reader_fill(group, table, key_count, &keys);
    copy_text(arena->name, sizeof arena->name, keys.name);
    copy_text(arena->address, sizeof arena->address, keys.address);
    arena->port = (uint16_t)keys.port;
    arena->max_players = keys.max_players;
    arena->max_spectators = keys.max_spectators;
    arena->spectator_delay_s = keys.spectator_delay_s;
    arena->bots = keys.bots;
    arena->tick_hz = keys.tick_hz;
    arena->view_width = keys.view_width;
    arena->view_height = keys.view_height;
    arena->sight = keys.sight;
    arena->lag_compensation_ms = keys.lag_compensation_ms;
    arena->resume_grace_s = keys.resume_grace_s;
    arena->idle_timeout_s = keys.idle_timeout_s;
    arena->queries = keys.queries;
    arena->query_names = keys.query_names;
    arena->round_s = keys.round_s;
    arena->score_limit = keys.score_limit;
    arena->break_s = keys.break_s;
    copy_text(arena->motd, sizeof arena->motd, keys.motd);
    arena->address_validation = keys.address_validation;
    arena->limits = load_limits(keys.limits);
    arena->encryption = strcmp(keys.encryption, "off") == 0        ? CONFIG_ENCRYPTION_OFF
                        : strcmp(keys.encryption, "required") == 0 ? CONFIG_ENCRYPTION_REQUIRED
                                                                   : CONFIG_ENCRYPTION_OFFERED;
    arena->needs_access = strcmp(keys.access, "token") == 0;
    arena->rules = load_rules(keys.rules);
    if (!access_control_read_keys(keys.access_key, &arena->access_keys) && arena->needs_access)
        reader_complain(reader_member(group, "access"),
                        "got \"token\" without an access_key, want one");
    if (keys.max_players + keys.bots > RAIM_MAX_PLAYERS)
        reader_complain(reader_member(group, "bots"),
                        "got %u beside %u max_players, want at most %d together", keys.bots,
                        keys.max_players, RAIM_MAX_PLAYERS);
    if (keys.map[0] != '\0')
        ask_map(asks, reader_member(group, "map"), path, keys.map, arena->rules.player_radius,
                &arena->map);
    load_rotation(arena, keys.rotation, asks, path);
}

static void load_rotation(struct config_arena *arena, reader_node list, struct asks *asks,
                          const char *path)
{
    const int count = reader_count(list);
    if (count > CONFIG_MAX_ROTATION) {
        reader_refuse(list, "a list of at most %d paths of map files", CONFIG_MAX_ROTATION);
        return;
    }
    for (int i = 0; i < count; i++) {
        const reader_node item = reader_item(list, i);
        const char *map;
        if (reader_text(item, config_is_path, CONFIG_PATH_WANT, &map))
            ask_map(asks, item, path, map, arena->rules.player_radius, &arena->rotation[i]);
    }
    arena->rotation_count = count;
    if (count > 0 && arena->round_s == 0 && arena->score_limit == 0)
        reader_warn(list, "no round ends without round_time or score_limit, so that only the "
                          "operator changes the map");
}

static raim_rules load_rules(reader_node group)
{
    raim_rules rules;
    int key_count;
    const struct reader_key *table = config_keys(CONFIG_RULES, &key_count);
    reader_fill(group, table, key_count, &rules);
    assert(raim_rules_check(&rules) == NULL);
    return rules;
}

struct gate_limits config_limits(const struct config_arena *arena)
{
    // A network of neighbours may play a small arena alone, but not fill a large one.
    enum { LEAST = 8, MOST = 64 };
    struct gate_limits limits = arena->limits;
    const uint32_t share = arena->max_players - arena->max_players / 4;
    if (limits.connections_per_network == 0)
        limits.connections_per_network = share < LEAST ? LEAST : share > MOST ? MOST : share;
    return limits;
}

static struct gate_limits load_limits(reader_node group)
{
    struct gate_limits limits;
    int key_count;
    const struct reader_key *table = config_keys(CONFIG_LIMITS, &key_count);
    reader_fill(group, table, key_count, &limits);
    return limits;
}

static bool is_same_file(const struct ask *a, const struct ask *b)
{
    return strcmp(a->path, b->path) == 0;
}

// What fits the largest players of the arenas that play on a map fits all.
static double largest_radius(const struct asks *asks, const struct ask *asked)
{
    double largest = 0;
    for (int i = 0; i < asks->count; i++)
        if (is_same_file(&asks->items[i], asked) && asks->items[i].radius > largest)
            largest = asks->items[i].radius;
    return largest;
}

// Loads each file once, for the first that asks for it: mistakes are told once as well.
static void load_maps(struct config *config, const struct asks *asks, struct diagnostics *report)
{
    config->maps = memory_must(calloc((size_t)asks->count + 1, sizeof *config->maps));
    for (int i = 0; i < asks->count; i++) {
        const struct ask *ask = &asks->items[i], *first = asks->items;
        while (!is_same_file(first, ask))
            first++;
        if (first < ask) {
            *ask->map = *first->map;
            continue;
        }
        char asker[PLACE_BYTES];
        reader_place(ask->node, asker, sizeof asker);
        *ask->map =
            keep_map(config, map_file_load(ask->path, asker, largest_radius(asks, ask), report));
    }
}

static bool is_any(const char *address)
{
    return strcmp(address, "0.0.0.0") == 0;
}

static bool share_port(const struct config_arena *a, const struct config_arena *b)
{
    return a->port != 0 && a->port == b->port &&
           (is_any(a->address) || is_any(b->address) || strcmp(a->address, b->address) == 0);
}

static void check_unique(const struct config *config, const struct entry *entries, int arena)
{
    const struct config_arena *mine = &config->arenas[arena];
    bool name_is_new = true, port_is_new = true;
    for (int i = 0; i < arena; i++) {
        const struct config_arena *other = &config->arenas[i];
        if (name_is_new && mine->name[0] != '\0' && strcmp(mine->name, other->name) == 0) {
            reader_refuse(reader_member(entries[arena].node, "name"),
                          "another name than that of arenas[%d]", i);
            name_is_new = false;
        }
        // A key that is wrong has its default here, which nobody wrote.
        const bool both_good = entries[i].is_good && entries[arena].is_good;
        if (port_is_new && both_good && share_port(mine, other)) {
            reader_complain(reader_member(entries[arena].node, "port"),
                            "got %s:%u, want an address and port apart from %s:%u of arenas[%d]",
                            mine->address, mine->port, other->address, other->port, i);
            port_is_new = false;
        }
    }
}

static void load_arenas(struct config *config, reader_node list, const char *path,
                        struct diagnostics *report)
{
    const int count = reader_count(list);
    if (count < 1 || count > CONFIG_MAX_ARENAS) {
        reader_refuse(list, "1 to %d arenas", CONFIG_MAX_ARENAS);
        return;
    }
    config->arenas = memory_must(calloc((size_t)count, sizeof *config->arenas));
    struct entry *entries = memory_must(calloc((size_t)count, sizeof *entries));
    const size_t most_maps = (size_t)count * (1 + CONFIG_MAX_ROTATION);
    struct asks asks = {.items = memory_must(calloc(most_maps, sizeof *asks.items))};
    config->arena_count = count;
    for (int i = 0; i < count; i++) {
        const int problems = report->problems;
        entries[i].node = reader_item(list, i);
        if (reader_is_group(entries[i].node))
            load_arena(&config->arenas[i], entries[i].node, &asks, path);
        else
            reader_refuse(entries[i].node, "a group { name = ...; map = ...; }");
        entries[i].is_good = report->problems == problems;
        check_unique(config, entries, i);
    }
    load_maps(config, &asks, report);
    for (int i = 0; i < asks.count; i++)
        free(asks.items[i].path);
    free(asks.items);
    free(entries);
}
