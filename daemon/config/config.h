// SPDX-License-Identifier: MIT
// The daemon's configuration: one libconfig file and the map files that it names. Loading reports
// every mistake in one run, each as `file:line: key: got X, want Y`; a file with mistakes yields no
// configuration.
#pragma once

#include "access_control.h"
#include "admission_limits.h"
#include "diagnostics.h"
#include "http_access.h"
#include "log.h"
#include "map.h"
#include "match.h"
#include "password.h"
#include "path_list.h"
#include "rules.h"
#include "socket_address.h"
#include "url.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIG_MAX_ARENAS 256
#define CONFIG_MAX_WORKERS 256
#define CONFIG_MAX_BOTS 200                          // per arena
#define CONFIG_NAME_BYTES (RAIM_MAX_ARENA_BYTES + 1) // an arena's name: [a-z0-9_-]+
#define CONFIG_ADDRESS_BYTES SOCKET_ADDRESS_BYTES
#define CONFIG_CONTROL_BYTES 108 // a Unix socket's path with the closing NUL
#define CONFIG_MAX_TEMPLATES 64
#define CONFIG_PATH_BYTES 256  // of a file of the control or a directory, with the closing NUL
#define CONFIG_MAX_ROTATION 32 // maps of an arena after its first
#define CONFIG_HOSTNAME_BYTES (64 + 1)
#define CONFIG_REGION_BYTES (32 + 1)
#define CONFIG_WEBSITE_BYTES (128 + 1)
#define CONFIG_MAX_TAGS 8
#define CONFIG_MAX_MASTERS 8
#define CONFIG_TAG_BYTES (15 + 1)

// Whether the datagrams of an arena are encrypted.
enum config_encryption {
    CONFIG_ENCRYPTION_OFF,
    CONFIG_ENCRYPTION_OFFERED, // used with clients that support it
    CONFIG_ENCRYPTION_REQUIRED,
};

// When an arena is recorded.
enum config_recording {
    CONFIG_RECORDING_PLAYED, // while there are players other than bots
    CONFIG_RECORDING_ALL,    // while anybody plays
    CONFIG_RECORDING_NONE,
};

// Whether raimd speaks to Agones' SDK server.
enum config_agones {
    CONFIG_AGONES_AUTO, // where $AGONES_SDK_HTTP_PORT is set
    CONFIG_AGONES_OFF,
    CONFIG_AGONES_ON,
};

// The password of an arena.
struct config_password {
    bool is_set;
    struct password password;
};

// Words by which server browsers find an arena.
struct config_tags {
    int count;
    char words[CONFIG_MAX_TAGS][CONFIG_TAG_BYTES];
};

struct config_arena {
    char name[CONFIG_NAME_BYTES];
    char address[CONFIG_ADDRESS_BYTES]; // IPv4 or IPv6 without brackets; see socket_address.h
    uint16_t port;                      // UDP; 0 lets the kernel choose (tests)
    uint32_t dscp;                      // class of the datagrams sent, 0 to 63
    struct raim_match_def match; // its map is the first one and owned by the configuration. The
                                 // arena sets the members that have no key
    bool queries;                // answers server browser queries (A2S)
    bool query_names;            // the answers contain player names
    bool address_validation;     // a connect needs a stateless cookie
    struct admission_limits limits;
    bool needs_access; // clients need an access token
    struct access_control_keys access_keys;
    struct config_password password;
    enum config_encryption encryption;
    enum config_recording recording;
    char hostname[CONFIG_HOSTNAME_BYTES]; // as server browsers show it; "": the arena's name
    struct config_tags tags;
    char region[CONFIG_REGION_BYTES], website[CONFIG_WEBSITE_BYTES]; // "": none
    int rotation_count; // the rotation starts again with the first map, `match.map`
    const struct raim_map *rotation[CONFIG_MAX_ROTATION]; // owned by the configuration
    bool is_on_demand;                                    // a template, or made of one on request
    char template_name[CONFIG_NAME_BYTES];                // of which an arena is made; "": no arena
    bool is_reopened; // with is_on_demand: it ran in the last process
};

// Address of an HTTP server.
struct config_listen {
    bool is_on;
    char address[CONFIG_ADDRESS_BYTES];
    uint16_t port; // TCP; 0 lets the kernel choose (tests)
};

// The UDP ports of arenas.
struct config_ports {
    uint16_t first, last; // inclusive; 0 and 0: none
};

// Which recordings are kept.
struct config_keep {
    double gigabytes; // of 10^9 bytes, of all of them
    double days;      // 0: no limit
};

// The control API over TCP. Paths are resolved; "": none.
struct config_control {
    struct config_listen listen;
    char certificate[CONFIG_PATH_BYTES]; // PEM files: a chain, its private key, and the authorities
    char key[CONFIG_PATH_BYTES];         // whose client certificates are accepted
    char clients[CONFIG_PATH_BYTES];
    char token[HTTP_TOKEN_BYTES]; // bearer token; "": none
};

#define CONFIG_MAX_ADMINS 32

// What an admin may do; each level includes those below.
enum config_admin_level {
    CONFIG_ADMIN_NONE,
    CONFIG_ADMIN_HELP,     // see, speak, mute
    CONFIG_ADMIN_MODERATE, // kick, ban, pause, change the map
    CONFIG_ADMIN_OPERATE,  // everything
    CONFIG_ADMIN_LEVELS
};

const char *config_admin_level_name(enum config_admin_level level);

struct config_admin_key {
    bool is_set;
    uint8_t bytes[RAIM_KEY_BYTES]; // of Ed25519
};

struct config_admin {
    char name[RAIM_MAX_NAME_BYTES + 1];
    struct config_password password;
    struct config_admin_key key;
    uint8_t level; // enum config_admin_level
};

struct config_rcon {
    struct config_listen listen;
    struct config_password password;
    bool is_remote; // it may listen outside of the loopback addresses
};

// Master servers, by which clients find the arenas.
struct config_master {
    char host[HTTP_HOST_BYTES]; // a name or an address without brackets
    uint16_t port;              // UDP
};

struct config_masters {
    int count;
    struct config_master items[CONFIG_MAX_MASTERS];
};

// The gateways of browsers that may tell the addresses of players.
struct config_gateway {
    bool is_trusted; // there is a key
    uint8_t key[RAIM_KEY_BYTES];
};

struct config {
    uint32_t workers; // 0: one per CPU
    enum log_level log_level;
    bool sandbox;
    bool core_dumps;
    bool results;                             // of rounds are recorded
    uint32_t event_kinds;                     // see server_events.h
    char ban_list[URL_BYTES];                 // an URL; "": none
    char event_hook[URL_BYTES];               // an URL, or the words of a command; "": none
    char event_hook_secret[HTTP_TOKEN_BYTES]; // "": requests are not signed
    struct config_listen status;
    char page[URL_BYTES];               // in which the game runs in a browser; "": none
    struct http_access status_guard;    // accepted host names; token for undelayed streams
    char control[CONFIG_CONTROL_BYTES]; // path, "off", or "" for $RUNTIME_DIRECTORY
    enum config_agones agones;
    uint32_t agones_drain_s; // 1 to 86400: the deadline of a drain that SIGTERM began
    bool agones_ready;       // becomes Ready again when the last player has left
    struct config_control control_tcp;
    struct config_rcon rcon;
    struct config_gateway gateway;
    int admin_count;
    struct config_admin admins[CONFIG_MAX_ADMINS];
    char recording_dir[CONFIG_PATH_BYTES]; // absolute; "" for recordings in $STATE_DIRECTORY
    struct config_keep recording_keep;
    char public_address[HTTP_HOST_BYTES]; // of arenas, as matchmakers are told; "": the arena's own
    struct config_ports ports;            // of arenas
    struct config_masters masters;
    bool lan_discovery;
    int template_count;
    struct config_arena *templates; // of arenas; their ports are 0
    int arena_count;
    struct config_arena *arenas;
    int map_count;
    struct raim_map **maps;       // owned; arenas with the same map file share one map
    char **map_paths;             // owned; of each map; NULL: built in, or of a single map
    struct config_values *values; // owned; text and location of each key's value
    struct path_list directories; // of the file, its includes, its maps and the control's files
    struct config *maps_owner;    // held: owns the maps that `arenas` has; NULL: this one does
    struct config_paths *paths;   // owned; see config_bot_paths; main thread only
    uint32_t references;          // references besides the first; main thread only
};

// Loads and checks a file and its maps. Writes one line per mistake and per warning to `out`.
// Returns NULL on any mistake or when memory runs out.
struct config *config_load(const char *path, FILE *out);

// Loads and checks a file and its maps, and reports mistakes to `diagnostics` in its style. Returns
// NULL on any mistake or when memory runs out.
struct config *config_load_reported(const char *path, struct diagnostics *diagnostics);

// Loads config/demo.conf for `raimd --demo`; the file and its maps are embedded in the program.
// With `more`, a file, it also has that one's keys. Else as config_load_reported.
struct config *config_demo(const char *more, struct diagnostics *diagnostics);

// Copies from `from` the keys that a running match adopts: those that apply at once, with the next
// break or with the next round. Any thread.
void config_tune(struct config_arena *arena, const struct config_arena *from);

// The connection limits of an arena. A connections_per_network of 0 becomes three quarters of
// max_players, clamped to 8..64.
struct admission_limits config_limits(const struct config_arena *arena);

// The file of a map that a configuration names: a relative path is that of a file beside the
// configuration or, if there is none, of one that raimd was installed with. The caller frees it.
// Returns NULL when memory runs out.
char *config_find_map(const char *config_path, const char *path);

// Loads a single map as a configuration without arenas. `path` is as of config_find_map; the spawns
// are checked for players of this radius in units. Returns NULL after reporting every mistake.
struct config *config_load_map(const char *config_path, const char *path, double radius,
                               struct diagnostics *diagnostics);

// The name that server browsers show: the hostname, or the arena's name where it has none.
const char *config_shown_name(const struct config_arena *arena);

// Whether a client needs anything besides an address to join.
bool config_is_locked(const struct config_arena *arena);

// The configuration of a single arena, which is copied; `owner`, which is shared, owns its maps.
// Returns NULL when memory runs out. Main thread.
struct config *config_of_arena(const struct config_arena *arena, struct config *owner);

// The paths of bots on a map of the configuration or of its owner of maps, for players of a radius:
// they are computed once, and end with the map. Returns NULL when memory runs out. Main thread.
const struct raim_bot_paths *config_bot_paths(struct config *config, const struct raim_map *map,
                                              double radius);

// The number of ports in a range.
int config_port_count(const struct config_ports *ports);

// Adds a reference, which config_unload ends. Returns the configuration. Main thread.
struct config *config_share(struct config *config);

// Ends a reference; the last one frees the configuration. Takes NULL. The name config_destroy is
// taken: libconfig exports it, and a definition here would replace the library's. Main thread.
void config_unload(struct config *config);
