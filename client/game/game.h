// SPDX-License-Identifier: MIT
// The game as a whole, frame by frame: an arena, a recording, the home screen or the search of a
// matchmaker. The platform's own program calls it. Nothing here blocks.
#pragma once

#include "frame_times.h"
#include "known_servers.h"
#include "link.h"
#include "preferences.h"
#include "server_address.h"
#include "window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GAME_MASTERS = 8 };

struct game_def {
    char host[RAIM_LINK_HOST_BYTES];
    uint16_t port;          // 0: choose on the home screen
    bool watch;             // with `port`: as a spectator
    const char *matchmaker; // URL; NULL: play on `host`
    int master_count;       // servers whose lists the home screen shows
    struct server_address masters[GAME_MASTERS];
    const char *name;                        // NULL: the one chosen on the home screen
    const char *access;                      // access token as typed, already checked; NULL: none
    char password[RAIM_LINK_PASSWORD_BYTES]; // of the arena; "": none
    bool has_admin_key;
    uint8_t admin_key[RAIM_KEY_BYTES];
    const char *known_servers; // file; NULL: the user's own
    bool require_encryption;
    const char *recording; // file to play; NULL: none
    const char *follow;    // name of a player of the recording; NULL: chosen by the game
};

struct game;

// Opens what the definition says. Borrows everything until game_end. NULL, with the reason in
// English, where memory runs out or the recording cannot be played. Times are those of
// raim_link_now_us.
struct game *game_begin(const struct game_def *def, struct window *window,
                        struct preferences *preferences, uint64_t now_us, char *problem,
                        size_t capacity);

// Handles events, receives and sends. Call it as often as possible between the frames. False when
// the game has ended.
bool game_serve(struct game *game, uint64_t now_us);

// Begins to end: says goodbye to the server. game_serve returns false when that is done, half a
// second later at the latest.
void game_quit(struct game *game);

// Draws and shows a frame; with `file` four times as finely where `fine`, and into a BMP file.
// False after printing why that failed.
bool game_frame(struct game *game, uint64_t now_us, const char *file, bool fine);

// Frees without a goodbye. Takes NULL.
void game_end(struct game *game);

// Whether an arena or a recording was ever shown.
bool game_was_in_arena(const struct game *game);

// The round trip to the server, smoothed, ms; below 0: not in an arena.
double game_round_trip_ms(const struct game *game);

const struct frame_times *game_frame_times(const struct game *game);

// The link to the server of the arena that is played in; NULL: none.
struct raim_link *game_link(const struct game *game);
