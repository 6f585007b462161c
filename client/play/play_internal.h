// SPDX-License-Identifier: MIT
// The state of the game in one arena, which play.c changes and play_draw.c draws.
#pragma once

#include "camera.h"
#include "controls.h"
#include "effects.h"
#include "entry.h"
#include "feed.h"
#include "keys.h"
#include "known_servers.h"
#include "menu.h"
#include "netgraph.h"
#include "picture.h"
#include "play.h"

// The layer over the game that receives the keys.
enum layer {
    LAYER_NONE,
    LAYER_CHAT,
    LAYER_MENU,
    LAYER_KEYS,
    LAYER_BIND, // waits for the key to bind
};

struct play {
    char host[256], name[RAIM_MAX_NAME_BYTES + 1];
    uint16_t port;
    uint8_t access[RAIM_ACCESS_BYTES];
    uint32_t access_size;     // 0: no access token
    char known_servers[4096]; // file; "": none
    struct raim_known_server known;
    bool require_encryption;
    double connect_timeout_s; // 0: the client's own
    struct window *window;
    struct keys *keys;
    struct raim_link *link; // NULL: it could not be opened
    enum raim_client_state state;
    struct camera camera;
    struct controls controls;
    struct picture *picture, *before; // of this frame and of the one before
    struct effects effects;
    struct feed kills, chat;
    struct netgraph netgraph;
    bool shows_netgraph;
    enum layer layer;
    struct menu menu;
    struct entry entry;
    uint64_t hits;                                         // of the local player, as shown
    double hit_at_s;                                       // when the local player last hit
    double hurt_at_s;                                      // when the local player last fell
    double entered_s;                                      // when the arena was entered
    uint64_t entries;                                      // stats->entries of the map shown
    struct feed_person winner;                             // of the round before the break
    char motd[RAIM_MAX_TEXT_BYTES + 1];                    // message of the day last shown
    double lost_at_s;                                      // when the connection was lost
    char names[RAIM_MAX_PLAYERS][RAIM_MAX_NAME_BYTES + 1]; // by slot; kept after a player left
};
