// SPDX-License-Identifier: MIT
// A stay in an arena: from the connection to its end, with all that is shown and pressed in it.
#pragma once

#include "keys.h"
#include "window.h"

#include <stdint.h>

struct play;

struct play_def {
    const char *host;
    uint16_t port;
    const char *name;
    const char *access;        // access token as it was typed; NULL: none
    const char *known_servers; // file; NULL: the user's, but for servers on this machine
    bool require_encryption;
    struct window *window; // borrowed, like the keys, until it is closed
    struct keys *keys;
};

// Copies what it does not borrow. NULL when memory runs out; who cannot be connected to is shown.
struct play *play_open(const struct play_def *def);

// Says goodbye; takes half a second at most.
void play_close(struct play *play);

enum play_wish {
    PLAY_ON,
    PLAY_LEAVE, // the arena
    PLAY_QUIT,  // the game
};
enum play_wish play_handle(struct play *play, const struct window_event *event);

// Receives what has come, and presses as often as it is due: call it as often as you can.
void play_go_on(struct play *play);

// Takes the picture of this moment for play_draw and play_view.
void play_look(struct play *play);

// The size of its view, units.
raim_vec2 play_view(const struct play *play);
