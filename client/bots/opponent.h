// SPDX-License-Identifier: MIT
// A bot that plays through a client, so it sees what a human player would see.
#pragma once

#include "bot.h"
#include "known_servers.h"
#include "link.h"
#include "matchmaker.h"
#include "mouse.h"

#include <stdbool.h>
#include <stdint.h>

// See queue.h.
struct queue {
    struct matchmaker *matchmaker;          // NULL: does not queue now
    double next_s;                          // when to queue again
    char problem[MATCHMAKER_PROBLEM_BYTES]; // that was logged last
    double opened_s;                        // when the arena was opened
    char server[272];                       // HOST:PORT of the arena
    enum raim_client_state state;           // logged last
    double lost_s;                          // when the connection was lost
    uint64_t arenas;                        // entered
};

struct opponent {
    struct raim_link *link; // NULL before opponent_open and after a failed one
    struct raim_bot brain;
    struct mouse mouse;
    bool uses_mouse; // otherwise the aim is the brain's
    // What the bot saw when it last decided, moved on since then by the velocities.
    uint32_t tick;                // of the next input
    raim_vec2 position;           // its own
    struct raim_bot_enemy target; // key 0: none
    uint32_t inputs_until_look;
    bool is_alive; // at the last input
    struct raim_known_server known;
    int server; // index of the address it plays on
    uint8_t access[RAIM_ACCESS_BYTES];
    uint32_t access_size; // 0: no access token
    const char *password; // of the arena; NULL: none
    char name[RAIM_MAX_NAME_BYTES + 1];
    bool require_encryption;
    bool small_datagrams;
    bool is_playing;
    bool played;           // has entered the arena at some time
    bool broken;           // ended without leaving by itself
    double play_started_s; // on this link; 0: it has not entered
    double play_ended_s;
    double connect_timeout_s; // 0: the default
    // Of this link, as of the newest snapshot.
    uint64_t snapshots, resumes;
    double snapshot_s;
    // Of the links that opponent_close closed.
    struct raim_client_stats past_stats;
    struct raim_link_traffic past_traffic;
    struct raim_client_quality past_quality;
    double past_played_s;
    struct queue queue; // with a matchmaker
};

// Begins to connect. `known_servers` is a file of known servers, or NULL. False where that fails;
// the bot then stays unconnected.
bool opponent_open(struct opponent *player, const char *host, uint16_t port,
                   const char *known_servers);

// Closes at once, keeps the totals, and lets the bot begin anew.
void opponent_close(struct opponent *player);

void opponent_add_stats(struct raim_client_stats *sum, const struct raim_client_stats *stats);

// Totals over all links.
struct raim_client_stats opponent_stats(const struct opponent *player);
struct raim_link_traffic opponent_traffic(const struct opponent *player);
double opponent_played_s(const struct opponent *player);

// Counts are totals; the other members are those of the newest link that entered.
struct raim_client_quality opponent_quality(const struct opponent *player);

// Whether it is time for opponent_service: an input is due, or the bot does not play yet. Like a
// game that draws once per tick, a bot that plays receives just before it sends, so that its input
// acknowledges the newest snapshot.
bool opponent_is_due(const struct opponent *player);

// Receives, and sends the inputs that are due; with `fire` false, without firing. Besides when it
// is due, call it at least ten times a second, for what is to be repeated.
void opponent_service(struct opponent *player, double now_s, bool fire);

void opponent_leave(struct opponent *player, double now_s);
