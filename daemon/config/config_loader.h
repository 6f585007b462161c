// SPDX-License-Identifier: MIT
// Loaders of keys whose values are lists or name files. Each function implements `load` of struct
// reader_key; the context is a struct config_loader.
#pragma once

#include "config.h"
#include "gateway.h"
#include "reader.h"

struct config_map_request;

// State of loading one configuration.
struct config_loader {
    struct config *config;
    const char *path; // of the configuration file
    bool is_built_in; // the maps are embedded in the program
    struct diagnostics *diagnostics;
    struct config_map_request *map_requests; // maps that arenas name
    int map_request_count;
};

void config_load_hosts(reader_node node, void *config, void *loader);
void config_load_masters(reader_node node, void *config, void *loader);
void config_load_token(reader_node node, void *config, void *loader);
void config_load_event_kinds(reader_node node, void *config, void *loader);
void config_load_hook(reader_node node, void *config, void *loader);
void config_load_hook_secret(reader_node node, void *config, void *loader);
void config_load_gateway_key(reader_node node, void *config, void *loader);
void config_load_templates(reader_node node, void *config, void *loader);
void config_load_arenas(reader_node node, void *config, void *loader);

// Reports rules that an arena, or a template with its keys, breaks.
void config_load_arena(struct config_arena *arena, reader_node group, bool is_template,
                       struct config_loader *loader);

// Files that keys name; their directories stay readable in the sandbox, so that a reload can read
// them again. Of the loader they take only the path and the diagnostics.

// Reads the first line of a file as a bearer token into `token`, of HTTP_TOKEN_BYTES.
void config_read_token(reader_node node, char *token, struct config_loader *loader);

// Reads the first line of a file as a key of hexadecimal digits. False: none is named, or a mistake
// was reported.
bool config_read_key(reader_node node, uint8_t key[RAIM_GATEWAY_KEY_BYTES],
                     struct config_loader *loader);

// Stores the resolved path of a PEM file in `path`, of CONFIG_PATH_BYTES.
void config_read_pem(reader_node node, char *path, bool is_secret, struct config_loader *loader);

// Reports arenas on a port of the pool, and templates without a pool.
void config_check_pool(const struct config *config, reader_node root);

// Whether the maps of the templates of two configurations are equal bit for bit.
bool config_has_same_templates(const void *config, const void *other);

// --- The control over TCP ---

void config_load_certificate(reader_node node, void *config, void *loader);
void config_load_control_key(reader_node node, void *config, void *loader);
void config_load_clients(reader_node node, void *config, void *loader);
void config_load_control_token(reader_node node, void *config, void *loader);

// Reports an address without the protection that it needs, unless a key of it is wrong.
void config_check_control(const struct config *config, reader_node root);

// --- Admins ---

void config_load_admins(reader_node list, void *config, void *loader);

// Reports an address of RCON without the protection that it needs.
void config_check_rcon(const struct config *config, reader_node root);

// --- Maps ---

// Record the maps to load. Loading waits until all arenas are read, because the spawns of a map are
// checked for the largest player radius of all its arenas.
void config_load_map_key(reader_node node, void *arena, void *loader);
void config_load_rotation(reader_node node, void *arena, void *loader);

// Allocates the requests for the maps of `arena_count` arenas and templates. Returns false when
// memory runs out.
bool config_begin_maps(struct config_loader *loader, int arena_count);

// Loads each requested file once, so that a mistake in it is reported once, at the first key that
// names it. Frees the requests.
void config_load_maps(struct config_loader *loader);

// Whether the maps of two arenas are equal bit for bit.
bool config_has_same_map(const void *arena, const void *other);
bool config_has_same_rotation(const void *arena, const void *other);
