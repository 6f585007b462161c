// SPDX-License-Identifier: MIT
// The state of the game in one arena, which play.c, play_keys.c and play_events.c change and
// play_draw.c draws.
#pragma once

#include "bindings.h"
#include "camera.h"
#include "controls.h"
#include "effects.h"
#include "entry.h"
#include "hints.h"
#include "hud.h"
#include "kill_feed.h"
#include "known_servers.h"
#include "netgraph.h"
#include "picture.h"
#include "play.h"
#include "preferences.h"
#include "scoreboard.h"
#include "settings_screen.h"
#include "summary.h"
#include "vote_menu.h"
#include "vote_panel.h"

// The layer over the game that receives the keys.
enum layer {
    LAYER_NONE,
    LAYER_CHAT,
    LAYER_CREDENTIAL, // over the notice of an end: the password or the access token is typed
    LAYER_MENU,
    LAYER_VOTE, // a vote is called
};

struct play {
    char host[256], name[RAIM_MAX_NAME_BYTES + 1];
    uint16_t port;
    uint8_t access[RAIM_ACCESS_BYTES];
    bool has_admin_key;
    uint8_t admin_key[RAIM_KEY_BYTES];
    uint32_t access_size;                    // 0: no access token
    char password[RAIM_LINK_PASSWORD_BYTES]; // of the arena; "": none yet
    char known_servers[4096];                // file; "": none
    struct raim_known_server known;
    bool require_encryption, watch;
    raim_player_id target;    // with `watch`: whom; RAIM_NOBODY: the server chooses
    double connect_timeout_s; // 0: the client's own
    struct window *window;
    struct bindings *bindings; // of the preferences
    struct preferences *preferences;
    const struct frame_times *frames;
    double now_s;           // of the last update
    struct goodbye goodbye; // of a spectator who joins as a player, before it connects again
    // Its own thread receives and sends, where the system has threads. NULL: it could not be
    // opened. The client is read only between raim_link_lock and raim_link_unlock.
    struct raim_link *link;
    enum raim_client_state state;
    uint32_t end_reason; // ENDED
    bool is_deriving;    // CONNECTING: the key of the password
    bool awaits_restart; // RESUMING: the server has announced it
    struct scoreboard scoreboard;
    struct vote_panel votes;
    struct vote_menu vote_menu;
    struct camera camera;
    struct controls controls;
    struct picture *picture, *before; // of this frame and of the one before
    struct effects effects;
    struct kill_feed kills, chat;
    struct viewport viewport; // of this frame
    struct netgraph netgraph;
    bool shows_netgraph;
    double round_trip_ms;
    enum layer layer;
    struct pause_menu pause;
    struct entry entry;
    struct end_text end;      // ENDED, and while connecting again: why
    double retry_s;           // ENDED: when to connect again; 0: not by itself
    struct hud_person killer; // who destroyed the local player last
    raim_vec2 killer_at;      // where the killer was last seen, units
    bool has_killer_at;
    uint32_t first_score;     // row at the top of the table of scores
    uint32_t heard;           // effects whose sounds have been played
    uint64_t hits;            // of the local player, as shown
    double hit_at_s;          // when the local player last hit
    struct hud_person victim; // destroyed last by the local player
    uint32_t streak;          // its kills until then in this life
    double kill_at_s;         // when that was
    double hurt_at_s;         // when the local player last fell
    double entered_s;         // when the arena was entered
    uint64_t entries;         // stats->entries of the map shown
    uint32_t round;           // played last
    double round_s;           // since when
    struct summary summary;
    char round_end[SUMMARY_TEXT_BYTES], own_result[SUMMARY_TEXT_BYTES],
        best_result[SUMMARY_TEXT_BYTES]; // in a break
    enum hint hint;                      // shown, the first one
    double hint_s;                       // since when
    bool has_first_aim;                  // since the arena was entered
    raim_angle first_aim;
    struct hud_person winner;                              // of the round before the break
    char motd[RAIM_MAX_TEXT_BYTES + 1];                    // message of the day last shown
    double lost_at_s;                                      // when the connection was lost
    char names[RAIM_MAX_PLAYERS][RAIM_MAX_NAME_BYTES + 1]; // by slot; kept after a player left
};

// Whether the table of all scores is shown: while its key is held, and in breaks.
bool play_shows_table(const struct play *play);

// Connects, anew where there was a connection.
void play_connect(struct play *play);

// Begins to say goodbye to the server.
void play_leave(struct play *play, struct goodbye *goodbye);

// Notes that the player has done something for which there is a hint.
void play_learn(struct play *play, enum hint hint);

void play_open_layer(struct play *play, enum layer layer);

// Takes what has happened since the last call. Between raim_link_lock and raim_link_unlock.
void play_take_events(struct play *play, struct raim_client *client, double now);
