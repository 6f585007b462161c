// SPDX-License-Identifier: MIT
// A bot behind a client: it sees what a human player would see.
#pragma once

#include "bot.h"
#include "known_servers.h"

#include <stdbool.h>
#include <stdint.h>

struct opponent {
    struct raim_link *link; // NULL before opponent_open and after a failed one
    struct raim_bot brain;
    struct raim_known_server known;
    int server; // index of the address it plays on
    uint8_t access[RAIM_ACCESS_BYTES];
    uint32_t access_size; // 0: no access token
    char name[RAIM_MAX_NAME_BYTES + 1];
    bool require_encryption;
    bool played; // has entered the arena at some time
    bool broken; // ended without leaving by itself
    double play_started_s;
    double play_ended_s;
};

// Begins to connect. `known_servers` is a file of known servers, or NULL. False where that fails;
// the bot then stays unconnected.
bool opponent_open(struct opponent *player, const char *host, uint16_t port,
                   const char *known_servers);

// Receives, and sends the inputs that are due; with `fire` false, without firing.
void opponent_service(struct opponent *player, double now_s, bool fire);

void opponent_leave(struct opponent *player, double now_s);
