// SPDX-License-Identifier: MIT
// The table of the configuration's keys, which is the only owner of each: its name, where it is
// kept in struct config or struct config_arena, its range, unit, default and meaning, and when a
// change of it applies. Reading, `raimd -T`, `raimd --dump-config`, the manual and reloading all go
// by it.
#pragma once

#include "config.h"
#include "reader.h"

#include <arpa/inet.h>

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
#define CONFIG_PATH_EXPECTED "the path of a map file"

// What config_is_name wants, in words.
#define CONFIG_NAME_EXPECTED "1 to 31 characters of a-z, 0-9, _ and -"
