// SPDX-License-Identifier: MIT
// Home screen: the player's name, an address to type, favourites, servers played before and those
// of this machine and network; and the ways to the settings and to the recordings.
#pragma once

#include "preferences.h"
#include "server_address.h"
#include "ui.h"

struct home;

struct home_def {
    struct preferences *preferences; // borrowed until home_close
    const char *host;                // whose arenas to look for; "": nobody's
    int master_count;                // servers whose lists are shown
    const struct server_address *masters;
    bool has_matchmaker;   // offers its arenas
    bool shows_recordings; // begins with the list of recordings
};

// Copies what it does not borrow. NULL when memory or sockets run out. Close takes NULL.
struct home *home_open(const struct home_def *def);
void home_close(struct home *home);

enum home_wish {
    HOME_STAY,
    HOME_PLAY,     // at home_server
    HOME_SPECTATE, // at home_server
    HOME_SEARCH,   // for an arena of the matchmaker
    HOME_WATCH,    // home_recording
    HOME_QUIT,
};

enum home_wish home_handle(struct home *home, const struct window_event *event);

// The server that was chosen.
struct server_address home_server(const struct home *home);

// The file of the recording that was chosen, until home_close.
const char *home_recording(const struct home *home);

// Shows why that file cannot be played.
void home_report(struct home *home, const char *problem);

// Sends queries and reads answers. Call it as often as possible.
void home_update(struct home *home, double now_s);

void home_draw(struct home *home, const struct ui *ui, double now_s);
