// SPDX-License-Identifier: MIT
// What the table of keys calls where a value names files or is a list: each function is a `load`
// of struct reader_key, whose context is a struct config_loader.
#pragma once

#include "config.h"
#include "reader.h"

struct config_map_request;

// One configuration while it is loaded.
struct config_loader {
    struct config *config;
    const char *path; // of its file
    bool is_built_in; // maps come from the program
    struct diagnostics *diagnostics;
    struct config_map_request *map_requests; // maps that arenas play on
    int map_request_count;
};

void config_load_hosts(reader_node node, void *config, void *loader);
void config_load_token(reader_node node, void *config, void *loader);
void config_load_arenas(reader_node node, void *config, void *loader);

// --- Maps ---

// Only remember what is to be loaded: a map must fit the players of all arenas that play on it.
void config_load_map_key(reader_node node, void *arena, void *loader);
void config_load_rotation(reader_node node, void *arena, void *loader);

// Makes room to remember the maps of so many arenas. False when memory runs out.
bool config_begin_maps(struct config_loader *loader, int arena_count);

// Loads each file once, for the first that asks for it: a mistake in it is reported once. Forgets
// what was remembered.
void config_load_maps(struct config_loader *loader);

// Whether two arenas play on maps that are equal bit for bit.
bool config_has_same_map(const void *arena, const void *other);
bool config_has_same_rotation(const void *arena, const void *other);
