// SPDX-License-Identifier: MIT
// The keys of the daemon's file: the one place that knows their names, ranges and defaults.
#pragma once

#include "gate_limits.h"
#include "reader.h"
#include "rules.h"

#include <arpa/inet.h>

// The whole file.
struct config_root_keys {
    uint32_t workers;
    const char *status;
    reader_node status_hosts; // texts, each accepted by http_guard_is_name
    const char *live_token_file;
    const char *control;
    const char *log_level;
    bool sandbox;
    bool core_dumps;
    reader_node arenas;
};

// One item of `arenas`.
struct config_arena_keys {
    const char *name;
    const char *address;
    uint32_t port;
    const char *map;
    uint32_t max_players;
    uint32_t max_spectators;
    double spectator_delay_s;
    uint32_t bots;
    uint32_t tick_hz;
    uint32_t view_width, view_height;
    bool sight;
    uint32_t lag_compensation_ms;
    double resume_grace_s;
    double idle_timeout_s;
    bool queries;
    bool query_names;
    double round_s;
    uint32_t score_limit;
    double break_s;
    const char *motd;
    reader_node rotation; // texts, each accepted by config_is_path
    bool address_validation;
    reader_node limits; // into a struct gate_limits
    const char *access;
    const char *access_key;
    const char *encryption;
    reader_node rules; // RAIM_RULE_COUNT keys, into a raim_rules
};

enum config_group { CONFIG_ROOT, CONFIG_ARENA, CONFIG_LIMITS, CONFIG_RULES };

// The table of a group's keys.
const struct reader_key *config_keys(enum config_group group, int *count);

// Takes "ADDRESS:PORT" apart; false when it is none.
bool config_split_address(const char *text, char address[INET_ADDRSTRLEN], uint16_t *port);

// True for 1 to CONFIG_NAME_BYTES - 1 characters of a-z, 0-9, _ and -.
bool config_is_name(const char *text);

// True for what may be the path of a map.
bool config_is_path(const char *text);

// What config_is_path wants, in words.
#define CONFIG_PATH_WANT "the path of a map file"

// What config_is_name wants, in words.
#define CONFIG_NAME_WANT "1 to 31 characters of a-z, 0-9, _ and -"
