// SPDX-License-Identifier: MIT
// Server queries as tools of operators speak them: Valve's A2S, "Server queries" in its developer
// wiki. Writes replies; pure bytes, no state. Integers are little-endian, texts UTF-8 that ends in
// NUL. query_request.h has the requests.
#pragma once

#include "query_request.h"
#include "wire_limits.h"

#include <stddef.h>
#include <stdint.h>

// The largest reply, as large as a transport's datagrams. What does not fit whole is left out.
#define QUERY_MAX_REPLY RAIM_MAX_DATAGRAM_BYTES

struct query_info {
    const char *name, *map, *folder, *game, *version;
    uint32_t players; // bots included; like the next two, told as 255 at most
    uint32_t max_players;
    uint32_t bots; // of the players
    uint16_t port;
};

struct query_player {
    const char *name;
    uint32_t score;
    float seconds; // since it joined, QUERY_BOT_SECONDS for a bot
};

// By which tools tell bots from people.
#define QUERY_BOT_SECONDS (-1.0f)

struct query_rule {
    const char *key, *value;
};

// Each writes a reply and returns its size.
size_t query_write_info(const struct query_info *info, uint8_t reply[QUERY_MAX_REPLY]);

// The first so many players that fit, 255 at most.
size_t query_write_players(const struct query_player *players, uint32_t count,
                           uint8_t reply[QUERY_MAX_REPLY]);
size_t query_write_rules(const struct query_rule *rules, uint32_t count,
                         uint8_t reply[QUERY_MAX_REPLY]);
