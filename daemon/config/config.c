// SPDX-License-Identifier: MIT
// Loads the configuration file and its maps, and checks the rules that involve several keys.
#define _GNU_SOURCE
#include "config.h"

#include "bot_paths.h"
#include "config_diff.h"
#include "config_keys.h"
#include "config_loader.h"
#include "config_root_keys.h"
#include "embedded.h"
#include "map_file.h"
#include "server_events.h"
#include "source.h"
#include "world.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Public ---

struct config *config_load(const char *path, FILE *out)
{
    struct diagnostics diagnostics = {.out = out};
    return config_load_reported(path, &diagnostics);
}

// Builds the configuration from a reader and closes the reader. Takes NULL for a file that could
// not be read.
static struct config *load(struct reader *reader, const char *path, bool is_built_in,
                           struct diagnostics *diagnostics)
{
    const int problems = diagnostics->problems;
    struct config *config = reader != NULL ? calloc(1, sizeof *config) : NULL;
    if (config == NULL) {
        if (reader != NULL)
            diagnostics_no_memory(diagnostics);
        reader_close(reader);
        return NULL;
    }
    struct config_loader loader = {
        .config = config, .path = path, .is_built_in = is_built_in, .diagnostics = diagnostics};
    const reader_node root = reader_root(reader);
    int count;
    diagnostics_hold(diagnostics);
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
    const reader_node templates = reader_find(reader_find(root, "on_demand"), "templates");
    config_reject_renamed(root);
    if (!config_begin_maps(&loader,
                           reader_count(reader_find(root, "arenas")) + reader_count(templates)))
        diagnostics_no_memory(diagnostics);
    else
        reader_fill(root, keys, count, config, &loader);
    config_load_maps(&loader);
    config_check_pool(config, root);
    config_check_control(config, root);
    config_check_rcon(config, root);
    if (diagnostics->problems == problems && !diagnostics->no_memory)
        config->values = config_values_collect(root, diagnostics);
    reader_close(reader);
    diagnostics_release(diagnostics);
    if (config->values != NULL)
        return config;
    config_unload(config);
    return NULL;
}

struct config *config_load_reported(const char *path, struct diagnostics *diagnostics)
{
    struct path_list directories = {0};
    diagnostics->directories = &directories;
    struct config *config = load(reader_open(path, NULL, diagnostics), path, false, diagnostics);
    diagnostics->directories = NULL;
    if (config != NULL)
        config->directories = directories;
    else
        path_list_clear(&directories);
    return config;
}

struct config *config_demo(const char *more, struct diagnostics *diagnostics)
{
    static const char path[] = "demo.conf";
    char include[PATH_MAX + 16] = "", *text = NULL;
    if (more != NULL)
        snprintf(include, sizeof include, "@include \"%s\"\n", more);
    if (asprintf(&text, "%s%s", embedded_config_demo, include) < 0) {
        diagnostics_no_memory(diagnostics);
        return NULL;
    }
    struct reader *reader = reader_open_text(path, text, diagnostics);
    free(text);
    return load(reader, path, true, diagnostics);
}

struct config *config_load_map(const char *config_path, const char *path, double radius,
                               struct diagnostics *diagnostics)
{
    char *resolved = config_find_map(config_path, path);
    struct config *config = calloc(1, sizeof *config);
    if (config != NULL)
        config->maps = calloc(1, sizeof *config->maps);
    if (resolved == NULL || config == NULL || config->maps == NULL)
        diagnostics_no_memory(diagnostics);
    else
        config->maps[0] = map_file_load(resolved, NULL, radius, diagnostics);
    free(resolved);
    if (config != NULL && config->maps != NULL && config->maps[0] != NULL) {
        config->map_count = 1;
        return config;
    }
    config_unload(config);
    return NULL;
}

struct admission_limits config_limits(const struct config_arena *arena)
{
    // Players of one network may fill a small arena, but not a large one.
    enum { MIN = 8, MAX = 64 };
    struct admission_limits limits = arena->limits;
    const uint32_t share = arena->match.tuning.max_players - arena->match.tuning.max_players / 4;
    if (limits.connections_per_network == 0)
        limits.connections_per_network = share < MIN ? MIN : share > MAX ? MAX : share;
    return limits;
}

const char *config_shown_name(const struct config_arena *arena)
{
    return arena->hostname[0] != '\0' ? arena->hostname : arena->name;
}

bool config_is_locked(const struct config_arena *arena)
{
    return arena->needs_access || arena->password.is_set;
}

struct config *config_of_arena(const struct config_arena *arena, struct config *owner)
{
    struct config *config = calloc(1, sizeof *config);
    struct config_arena *copy = malloc(sizeof *copy);
    if (config == NULL || copy == NULL) {
        free(config);
        free(copy);
        return NULL;
    }
    *copy = *arena;
    config->arenas = copy;
    config->arena_count = 1;
    config->gateway = owner->gateway;
    config->maps_owner = config_share(owner);
    return config;
}

struct config_paths {
    struct config_paths *next;
    const struct raim_map *map;
    double radius;
    struct raim_bot_paths *paths;
};

const struct raim_bot_paths *config_bot_paths(struct config *config, const struct raim_map *map,
                                              double radius)
{
    while (config->maps_owner != NULL)
        config = config->maps_owner;
    for (const struct config_paths *known = config->paths; known != NULL; known = known->next)
        if (known->map == map && known->radius == radius)
            return known->paths;
    struct config_paths *added = malloc(sizeof *added);
    struct raim_bot_paths *paths = added != NULL ? raim_bot_paths_create(map, radius) : NULL;
    if (paths == NULL) {
        free(added);
        return NULL;
    }
    *added = (struct config_paths){config->paths, map, radius, paths};
    config->paths = added;
    return paths;
}

int config_port_count(const struct config_ports *ports)
{
    return ports->first == 0 ? 0 : ports->last - ports->first + 1;
}

struct config *config_share(struct config *config)
{
    config->references++;
    return config;
}

void config_unload(struct config *config)
{
    if (config == NULL || config->references-- > 0)
        return;
    while (config->paths != NULL) {
        struct config_paths *paths = config->paths;
        config->paths = paths->next;
        raim_bot_paths_destroy(paths->paths);
        free(paths);
    }
    for (int i = 0; i < config->map_count; i++) {
        raim_map_destroy(config->maps[i]);
        free(config->map_paths != NULL ? config->map_paths[i] : NULL);
    }
    config_values_free(config->values);
    path_list_clear(&config->directories);
    config_unload(config->maps_owner);
    free(config->maps);
    free(config->map_paths);
    free(config->templates);
    free(config->arenas);
    free(config);
}

// --- The status ---

void config_load_hosts(reader_node list, void *into, void *context)
{
    struct http_access *guard = &((struct config *)into)->status_guard;
    (void)context;
    const int count = reader_count(list);
    if (count > HTTP_MAX_HOSTS) {
        reader_value_error(list, "a list of at most %d names of hosts", HTTP_MAX_HOSTS);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *name;
        if (reader_text(reader_item(list, i), http_access_is_name,
                        "the name of a host, without scheme and port", &name))
            strcpy(guard->hosts[guard->host_count++], name);
    }
}

void config_load_token(reader_node node, void *into, void *context)
{
    config_read_token(node, ((struct config *)into)->status_guard.token, context);
}

// --- Events ---

static bool is_event_kind(const char *text)
{
    enum event_kind kind;
    return event_kind_find(text, &kind);
}

void config_load_event_kinds(reader_node list, void *into, void *context)
{
    struct config *config = into;
    const int count = reader_count(list);
    (void)context;
    for (int i = 0; i < count; i++) {
        enum event_kind kind;
        const char *name;
        if (reader_text(reader_item(list, i), is_event_kind, "the name of a kind of events",
                        &name) &&
            event_kind_find(name, &kind))
            config->event_kinds |= UINT32_C(1) << kind;
    }
}

void config_load_hook(reader_node node, void *into, void *context)
{
    const char *hook = ((struct config *)into)->event_hook;
    char program[sizeof((struct config *)into)->event_hook];
    (void)context;
    snprintf(program, sizeof program, "%.*s", (int)strcspn(hook, " "), hook);
    if (program[0] == '/' && access(program, X_OK) != 0)
        reader_error(node, "cannot run \"%s\": %s", program, strerror(errno));
}

void config_load_hook_secret(reader_node node, void *into, void *context)
{
    config_read_token(node, ((struct config *)into)->event_hook_secret, context);
}

void config_load_gateway_key(reader_node node, void *into, void *context)
{
    struct config_gateway *gateway = &((struct config *)into)->gateway;
    gateway->is_trusted = config_read_key(node, gateway->key, context);
}

// --- Arenas ---

void config_load_arena(struct config_arena *arena, reader_node group, bool is_template,
                       struct config_loader *loader)
{
    int count;
    const struct reader_key *keys =
        config_keys(is_template ? CONFIG_TEMPLATE : CONFIG_ARENA, &count);
    arena->is_on_demand = is_template;
    reader_fill(group, keys, count, arena, loader);
    assert(raim_rules_check(&arena->match.rules) == NULL);
    if (arena->needs_access && arena->access_keys.count == 0)
        reader_error(reader_member(group, "access"),
                     "got \"token\" without an access_key, want one");
    if (arena->password.is_set && arena->encryption == CONFIG_ENCRYPTION_OFF)
        reader_error(reader_member(group, "password"),
                     "got a password without encryption, want encryption \"offered\" or "
                     "\"required\"");
    if (arena->match.tuning.max_players + arena->match.bots > RAIM_MAX_PLAYERS)
        reader_error(reader_member(group, "bots"),
                     "got %u beside %u max_players, want at most %d together", arena->match.bots,
                     arena->match.tuning.max_players, RAIM_MAX_PLAYERS);
}

static bool share_port(const struct config_arena *a, const struct config_arena *b)
{
    union socket_address mine, other;
    return a->port != 0 && a->port == b->port && socket_address_parse(a->address, 0, &mine) &&
           socket_address_parse(b->address, 0, &other) && socket_address_overlaps(&mine, &other);
}

// A wrong key holds its default, so that a clash with it would be misleading.
static bool has_good_port(reader_node arena)
{
    return reader_is_good(reader_find(arena, "address")) &&
           reader_is_good(reader_find(arena, "port"));
}

static void check_unique(const struct config *config, reader_node list, int arena)
{
    const reader_node node = reader_item(list, arena);
    const struct config_arena *mine = &config->arenas[arena];
    bool name_is_new = true, port_is_new = true;
    for (int i = 0; i < arena; i++) {
        const struct config_arena *other = &config->arenas[i];
        if (name_is_new && mine->name[0] != '\0' && strcmp(mine->name, other->name) == 0) {
            reader_value_error(reader_member(node, "name"), "another name than that of arenas[%d]",
                               i);
            name_is_new = false;
        }
        if (port_is_new && share_port(mine, other) && has_good_port(node) &&
            has_good_port(reader_item(list, i))) {
            reader_error(reader_member(node, "port"),
                         "got %s:%u, want an address and port apart from %s:%u of arenas[%d]",
                         mine->address, mine->port, other->address, other->port, i);
            port_is_new = false;
        }
    }
}

void config_load_arenas(reader_node list, void *into, void *context)
{
    struct config *config = into;
    struct config_loader *loader = context;
    const int count = reader_count(list);
    if ((count < 1 && config->template_count == 0) || count > CONFIG_MAX_ARENAS) {
        reader_value_error(list, "1 to %d arenas", CONFIG_MAX_ARENAS);
        return;
    }
    config->arenas = calloc((size_t)count + 1, sizeof *config->arenas);
    if (config->arenas == NULL) {
        diagnostics_no_memory(loader->diagnostics);
        return;
    }
    config->arena_count = count;
    for (int i = 0; i < count; i++) {
        const reader_node group = reader_item(list, i);
        if (reader_is_group(group))
            config_load_arena(&config->arenas[i], group, false, loader);
        else
            reader_value_error(group, "a group { name = ...; map = ...; }");
        check_unique(config, list, i);
    }
}

// Reports a name that an earlier template has.
static void check_name(const struct config *config, reader_node group, int index)
{
    const char *name = config->templates[index].name;
    for (int i = 0; i < index; i++) {
        if (name[0] == '\0' || strcmp(config->templates[i].name, name) != 0)
            continue;
        reader_value_error(reader_member(group, "name"), "another name than that of templates[%d]",
                           i);
        return;
    }
}

void config_load_templates(reader_node list, void *into, void *context)
{
    struct config *config = into;
    struct config_loader *loader = context;
    const int count = reader_count(list);
    if (count > CONFIG_MAX_TEMPLATES) {
        reader_value_error(list, "at most %d templates", CONFIG_MAX_TEMPLATES);
        return;
    }
    config->templates = calloc((size_t)count + 1, sizeof *config->templates);
    if (config->templates == NULL) {
        diagnostics_no_memory(loader->diagnostics);
        return;
    }
    config->template_count = count;
    for (int i = 0; i < count; i++) {
        const reader_node group = reader_item(list, i);
        if (reader_is_group(group))
            config_load_arena(&config->templates[i], group, true, loader);
        else
            reader_value_error(group, "a group { name = ...; map = ...; }");
        check_name(config, group, i);
    }
}

void config_check_pool(const struct config *config, reader_node root)
{
    const struct config_ports *ports = &config->ports;
    const reader_node arenas = reader_find(root, "arenas");
    if (config->template_count > 0 && config_port_count(ports) == 0)
        reader_error(reader_find(reader_find(root, "on_demand"), "templates"),
                     "got templates without ports, want both");
    for (int i = 0; i < config->arena_count && ports->first > 0; i++) {
        const uint16_t port = config->arenas[i].port;
        if (port >= ports->first && port <= ports->last)
            reader_error(reader_member(reader_item(arenas, i), "port"),
                         "got %u, want a port outside of on_demand.ports, \"%u-%u\"", port,
                         ports->first, ports->last);
    }
}
