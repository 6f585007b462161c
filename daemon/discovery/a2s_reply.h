// SPDX-License-Identifier: MIT
// Writer of replies to server queries in Valve's A2S protocol ("Server queries" in Valve's
// developer wiki), which server browsers and monitoring tools use. query_guard.h parses the
// requests. Integers are little-endian, texts are NUL-terminated UTF-8. Pure functions, any thread.
#pragma once

#include "query_guard.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of the largest reply: a datagram of the transport. Rows that do not fit whole are omitted.
#define A2S_MAX_REPLY RAIM_MAX_DATAGRAM_BYTES

struct a2s_info {
    const char *name, *map, *folder, *game, *version;
    uint32_t players; // including bots; counts above 255 are written as 255
    uint32_t max_players;
    uint32_t bots; // among `players`
    bool locked;   // clients need a password or an access token
    uint16_t port;
    const char *keywords; // words with commas between them; "": none
};

struct a2s_player {
    const char *name;
    uint32_t score;
    float seconds; // since it joined; A2S_BOT_SECONDS for a bot
};

// By this value query tools recognize bots.
#define A2S_BOT_SECONDS (-1.0f)

struct a2s_rule {
    const char *key, *value;
};

// Write a reply and return its size in bytes.
size_t a2s_write_info(const struct a2s_info *info, uint8_t reply[A2S_MAX_REPLY]);

// Writes the first players that fit, at most 255.
size_t a2s_write_players(const struct a2s_player *players, uint32_t count,
                         uint8_t reply[A2S_MAX_REPLY]);

// Writes the first rules that fit.
size_t a2s_write_rules(const struct a2s_rule *rules, uint32_t count, uint8_t reply[A2S_MAX_REPLY]);
