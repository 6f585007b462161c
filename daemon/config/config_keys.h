// SPDX-License-Identifier: MIT
// The tables of configuration keys. Each row defines a key's name, field in struct config or struct
// config_arena, range, unit, default, meaning, and when a change applies. The tables drive reading,
// `raimd -T`, `raimd --config-reference`, reloading, and raimd.conf(5).
#pragma once

#include "config.h"
#include "reader.h"

enum config_group {
    CONFIG_ROOT,
    CONFIG_ARENA,
    CONFIG_LIMITS,
    CONFIG_VOTES,
    CONFIG_RULES,
    CONFIG_TEMPLATE, // of arenas: the keys of an arena without its port
};

// The table of a group's keys and the number of its rows.
const struct reader_key *config_keys(enum config_group group, int *count);

extern const struct reader_table config_arena_keys;

// Splits "ADDRESS:PORT" into an address without brackets and a port from 0 to 65535. Returns false
// for any other text.
bool config_split_address(const char *text, char address[CONFIG_ADDRESS_BYTES], uint16_t *port);

// True for 1 to CONFIG_NAME_BYTES - 1 characters of a-z, 0-9, _ and -.
bool config_is_name(const char *text);

// Parses the verifier of a password into a struct config_password; "": none.
bool config_parse_password(const char *text, void *field);

// What config_parse_password accepts, as a message says it.
#define CONFIG_PASSWORD_EXPECTED "\"\" or a line that raimctl password prints"

// True for a text that can be the path of a map file: any that is not empty.
bool config_is_path(const char *text);

// What config_is_path accepts, as a message says it.
#define CONFIG_PATH_EXPECTED "the path of a map file"

// What config_is_name accepts, as a message says it.
#define CONFIG_NAME_EXPECTED "1 to 31 characters of a-z, 0-9, _ and -"
