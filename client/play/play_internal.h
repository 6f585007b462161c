// SPDX-License-Identifier: MIT
// The state of a stay in an arena: play.c changes it, and play_draw.c, which includes play.c's
// header and not the reverse, reads it.
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

// What lies over the game and takes the keys.
enum layer {
    LAYER_NONE,
    LAYER_CHAT,
    LAYER_MENU,
    LAYER_KEYS,
    LAYER_PRESS, // the next key is bound
};

struct play {
    char host[256], name[RAIM_MAX_NAME_BYTES + 1];
    uint16_t port;
    uint8_t access[RAIM_ACCESS_BYTES];
    uint32_t access_size;     // 0: no access token
    char known_servers[4096]; // file; "": none
    struct raim_known_server known;
    bool require_encryption;
    struct window *window;
    struct keys *keys;
    struct raim_link *link; // NULL: it could not even be opened
    enum raim_client_state state;
    struct camera camera;
    struct controls controls;
    struct picture *picture, *before; // this frame's and the last one's
    struct effects effects;
    struct feed kills, chat;
    struct netgraph netgraph;
    bool shows_netgraph;
    enum layer layer;
    struct menu menu;
    struct entry entry;
    uint64_t hits;                                         // own, as far as shown
    double hit_at_s;                                       // when the last one was
    double hurt_at_s;                                      // when the own player fell
    double entered_s;                                      // when the arena was entered
    uint64_t entries;                                      // the client's, of the map shown
    struct feed_person winner;                             // of the break
    char motd[RAIM_MAX_MOTD_BYTES + 1];                    // as last shown
    double lost_at_s;                                      // when the connection was lost
    char names[RAIM_MAX_PLAYERS][RAIM_MAX_NAME_BYTES + 1]; // by place, also of who has just left
};
