// SPDX-License-Identifier: MIT
// The game in one arena: connection, input, and everything that is drawn, from joining to leaving.
#pragma once

#include "preferences.h"
#include "window.h"

#include <stdint.h>

struct play;

struct play_def {
    const char *host;
    uint16_t port;
    const char *name;
    const char *access;        // access token as typed; NULL: none
    const uint8_t *admin_key;  // seed, of RAIM_KEY_BYTES; NULL: none
    const char *password;      // of the arena; NULL or "": none yet
    const char *known_servers; // file; NULL: the user's own, unless the server is on this machine
    bool require_encryption;
    bool watch;                      // as a spectator
    double connect_timeout_s;        // 0: the client's own
    struct window *window;           // borrowed until play_close
    struct preferences *preferences; // borrowed until play_close
};

// Copies what it does not borrow. NULL when memory runs out. A server that cannot be reached is
// shown as a notice.
struct play *play_open(const struct play_def *def);

// Says goodbye, which takes half a second at most, and frees. Takes NULL.
void play_close(struct play *play);

enum play_wish {
    PLAY_ON,
    PLAY_LEAVE, // leave the arena for the home screen
    PLAY_QUIT,  // end the game
};
enum play_wish play_handle(struct play *play, const struct window_event *event);

// Follows the state of the connection and sets the player's input, which a thread sends in time.
// Call it as often as possible.
void play_update(struct play *play);

// Takes the picture of this moment, which is then drawn.
void play_look(struct play *play);

// Whether the arena has ended for the player in a way after which a matchmaker's other room may do:
// also where the session was not resumed for `patience_s`.
bool play_wants_room(const struct play *play, double patience_s);

// Whether the player has been in the arena.
bool play_was_entered(const struct play *play);

// The round trip to the server, smoothed, ms.
double play_round_trip_ms(const struct play *play);

// The size of the view, units.
raim_vec2 play_view(const struct play *play);
