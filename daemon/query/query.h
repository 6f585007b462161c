// SPDX-License-Identifier: MIT
// Server queries as tools of operators speak them: Valve's A2S, "Server queries" in its developer
// wiki. Reads requests and writes replies; pure bytes, no state. Integers are little-endian, texts
// UTF-8 that ends in NUL.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The largest reply, as large as a transport's datagrams. What does not fit whole is left out.
#define QUERY_MAX_REPLY RAIM_MAX_DATAGRAM_BYTES

// The reply to who has not met the challenge: as large as the smallest request.
#define QUERY_CHALLENGE_REPLY 9

// What a request says in place of a challenge that it does not have yet.
#define QUERY_NO_CHALLENGE UINT32_MAX

enum query_kind { QUERY_NONE, QUERY_INFO, QUERY_PLAYERS, QUERY_RULES, QUERY_KINDS };

struct query {
    enum query_kind kind; // QUERY_NONE: no query at all
    uint32_t challenge;   // QUERY_NO_CHALLENGE where there is none
};

// Reads a datagram. What follows a request is padding and of no interest.
struct query query_read(const uint8_t *data, size_t size);

struct query_info {
    const char *name, *map, *folder, *game, *version;
    uint32_t players; // bots included; like the next two, told as 255 at most
    uint32_t places;
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
size_t query_write_challenge(uint32_t challenge, uint8_t reply[QUERY_CHALLENGE_REPLY]);
size_t query_write_info(const struct query_info *info, uint8_t reply[QUERY_MAX_REPLY]);

// The first so many players that fit, 255 at most.
size_t query_write_players(const struct query_player *players, uint32_t count,
                           uint8_t reply[QUERY_MAX_REPLY]);
size_t query_write_rules(const struct query_rule *rules, uint32_t count,
                         uint8_t reply[QUERY_MAX_REPLY]);
