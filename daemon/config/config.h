// SPDX-License-Identifier: MIT
// The daemon's configuration: one libconfig file plus the maps that it names. Loading reports
// every mistake at once, each as `file:line: key: got X, want Y`, and then gives nothing.
#pragma once

#include "access_control.h"
#include "diagnostics.h"
#include "gate_limits.h"
#include "http_guard.h"
#include "log_level.h"
#include "map.h"
#include "match.h"
#include "path_list.h"
#include "rules.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIG_MAX_ARENAS 256
#define CONFIG_MAX_WORKERS 256
#define CONFIG_MAX_BOTS 200                          // of an arena
#define CONFIG_NAME_BYTES (RAIM_MAX_ARENA_BYTES + 1) // names of arenas: [a-z0-9_-]+
#define CONFIG_ADDRESS_BYTES 16                      // a dotted IPv4 address with the closing NUL
#define CONFIG_CONTROL_BYTES 108                     // a Unix socket's path with the closing NUL
#define CONFIG_MAX_ROTATION 32                       // maps of an arena beside its first

// Whether the datagrams of an arena are encrypted.
enum config_encryption {
    CONFIG_ENCRYPTION_OFF,
    CONFIG_ENCRYPTION_OFFERED, // of clients that can do it
    CONFIG_ENCRYPTION_REQUIRED,
};

struct config_arena {
    char name[CONFIG_NAME_BYTES];
    char address[CONFIG_ADDRESS_BYTES]; // dotted IPv4
    uint16_t port;                      // UDP; 0 lets the kernel choose (tests)
    uint32_t max_players;               // clients, 1 to 1000; bots have places of their own
    uint32_t max_spectators;            // 0 to 1000
    double spectator_delay_s;           // 0 to 60
    uint32_t bots;                      // server-side bots, 0 to 200
    uint32_t tick_hz;                   // 10 to 240
    uint32_t view_width, view_height;   // units, each 100 to 10000
    bool sight;                         // obstacles hide what is behind them
    uint32_t lag_compensation_ms;       // 0 to 250
    double resume_grace_s;              // 0 to 600
    double idle_timeout_s;              // 0 to 86400
    bool queries;                       // server browsers are answered
    bool query_names;                   // with the names of players
    bool address_validation;            // who connects must have requested
    struct gate_limits limits;
    bool needs_access; // whoever comes in needs an access token
    struct access_control_keys access_keys;
    enum config_encryption encryption;
    raim_rules rules;
    double round_s;       // 0: without an end by the clock, to 86400
    uint32_t score_limit; // points that end a round, 0: none
    double break_s;       // 0 to 300
    char motd[RAIM_MAX_MOTD_BYTES + 1];
    const struct raim_map *map; // the configuration's, like those of the rounds after the first;
    int rotation_count;         // after these comes `map` again
    const struct raim_map *rotation[CONFIG_MAX_ROTATION];
};

// Where the status is served.
struct config_status {
    bool is_on;
    char address[CONFIG_ADDRESS_BYTES];
    uint16_t port; // TCP; 0 lets the kernel choose (tests)
};

struct config {
    uint32_t workers; // 0: one per CPU
    enum log_level log_level;
    bool sandbox;
    bool core_dumps;
    struct config_status status;
    struct http_guard status_guard;     // by which names it goes, who sees arenas without delay
    char control[CONFIG_CONTROL_BYTES]; // a path, "off", or "" for the service manager's directory
    int arena_count;
    struct config_arena *arenas;
    int map_count;
    struct raim_map **maps;       // owned; every arena that plays on a map file shares it
    struct config_values *values; // owned; what the file says of each key
    struct path_list directories; // in which the file and all that it names were found
    uint32_t references;          // who hold it beside the first; main thread only
};

// Loads and checks a file and its maps. Writes one line per mistake to `diagnostics`, and one per
// warning; on any mistake, or when memory runs out, returns NULL.
struct config *config_load(const char *path, FILE *diagnostics);

// The same, for a report of any style.
struct config *config_load_reported(const char *path, struct diagnostics *diagnostics);

// Loads config/demo.conf, of `raimd --demo`: it and its maps are built in. NULL when memory runs
// out.
struct config *config_demo(struct diagnostics *diagnostics);

// Copies what a running match takes over from another configuration of its arena. Any thread.
void config_tune(struct config_arena *arena, const struct config_arena *from);

// The limits of an arena; where the configuration leaves one to the number of places, by these.
struct gate_limits config_limits(const struct config_arena *arena);

// A configuration of nothing but one map, as `path` is seen from `config_path`, for players of this
// radius. NULL after reporting every mistake.
struct config *config_load_map(const char *config_path, const char *path, double radius,
                               struct diagnostics *diagnostics);

// One more holds the configuration, who unloads it, too. Returns it. Main thread.
struct config *config_share(struct config *config);

// Frees it when nobody else holds it. Takes NULL. Not called config_destroy, because libconfig
// exports that name: the program's would replace the library's.
void config_unload(struct config *config);
