// SPDX-License-Identifier: MIT
// One bot behind one client: it plays by what its snapshots show.
#pragma once

#include "bot.h"
#include "link.h"

#include <stdbool.h>
#include <stdint.h>

struct player {
    struct raim_link *link; // NULL before player_open and after a failed one
    struct raim_bot brain;
    int server; // index of the address it plays on
    char name[RAIM_CLIENT_NAME_BYTES];
    bool played; // was let in at some time
    bool broken; // ended without having left by itself
    double play_started_s;
    double play_ended_s;
};

// Begins to connect; false when that is impossible, with everything left as unopened.
bool player_open(struct player *player, const char *host, uint16_t port, uint32_t timeout_ms);

// One tick: receives, thinks, sends. `fire` false keeps the finger off the trigger.
void player_tick(struct player *player, double now_s, bool fire);

void player_leave(struct player *player, double now_s);
