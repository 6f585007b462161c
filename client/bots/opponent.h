// SPDX-License-Identifier: MIT
// One bot behind one client: it plays by what people would be shown.
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
    bool played; // was let in at some time
    bool broken; // ended without having left by itself
    double play_started_s;
    double play_ended_s;
};

// Begins to connect, to the server that a file of known servers tells of, or, where that is NULL,
// to any; false when that is impossible, with everything left as unopened.
bool opponent_open(struct opponent *player, const char *host, uint16_t port,
                   const char *known_servers);

// Receives, and thinks and presses when that is due. `fire` false keeps the finger off the trigger.
void opponent_service(struct opponent *player, double now_s, bool fire);

void opponent_leave(struct opponent *player, double now_s);
