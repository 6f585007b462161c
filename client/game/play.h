// SPDX-License-Identifier: MIT
// The game in one arena: connection, input, and everything that is drawn, from joining to leaving.
#pragma once

#include "frame_times.h"
#include "link.h"
#include "preferences.h"
#include "ui.h"
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
    bool watch;                       // as a spectator
    double connect_timeout_s;         // 0: the client's own
    struct window *window;            // borrowed until play_close
    struct preferences *preferences;  // borrowed until play_close
    const struct frame_times *frames; // borrowed until play_close
    double now_s;
};

// Copies what it does not borrow. NULL when memory runs out. A server that cannot be reached is
// shown as a notice.
struct play *play_open(const struct play_def *def);

// A link whose goodbye is on its way to the server. Start from all zero.
struct goodbye {
    struct raim_link *link; // NULL: none
    double until_s;         // 0: not limited yet
};

// Says goodbye, which goes on by itself, and frees. Takes NULL.
void play_close(struct play *play, struct goodbye *goodbye);

// Whether the goodbye is over, and closes its link then: when the server has it, or after half a
// second.
bool goodbye_is_done(struct goodbye *goodbye, double now_s);

// Closes the link at once.
void goodbye_end(struct goodbye *goodbye);

enum play_wish {
    PLAY_ON,
    PLAY_LEAVE, // leave the arena for the home screen
    PLAY_QUIT,  // end the game
};
enum play_wish play_handle(struct play *play, const struct window_event *event);

// Follows the state of the connection and sets the player's input, which the link sends in time.
// Call it as often as possible. Times are those of raim_link_now_us.
void play_update(struct play *play, uint64_t now_us);

// Takes the picture of this moment.
void play_look(struct play *play, uint64_t now_us);

// Draws that picture and the head-up display over it.
void play_draw(struct play *play, const struct ui *ui);

// Whether the arena has ended for the player in a way after which a matchmaker's other arena may
// do: also where the session was not resumed for the matchmaker's patience.
bool play_wants_arena(const struct play *play);

// Whether the player has been in the arena.
bool play_was_entered(const struct play *play);

// The round trip to the server, smoothed, ms.
double play_round_trip_ms(const struct play *play);

// The size of the view, units.
raim_vec2 play_view(const struct play *play);

// The link to the server; NULL: none.
struct raim_link *play_link(const struct play *play);
