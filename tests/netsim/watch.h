// SPDX-License-Identifier: MIT
// Monitors one client of an arena: its displayed positions, reported events and prediction errors,
// with their invariants over any network.
#pragma once

#include "client.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCH_MAX_PLAYERS 64

// Score and deaths of a player from the events since the client was admitted.
struct watch_tally {
    raim_player_id id;
    uint32_t score, deaths; // when it was let in
    uint32_t kills, falls;  // told since
};

#define WATCH_TICKS 128 // that are remembered

// The own player in a frame, part of the way from where it is as a tick begins to where it is a
// tick later.
struct watch_frame {
    uint32_t tick;
    double part;
    raim_vec2 position;
    uint32_t world_tick; // that the server had come to
};

struct watch {
    uint32_t blame_ticks; // see watch_init
    char problem[160];    // the first thing that was not as it must be; empty: none
    raim_player_id id;    // whom it plays; RAIM_NOBODY before it ever did
    struct watch_tally tallies[WATCH_MAX_PLAYERS]; // by slot

    // The frame before, if there was one.
    bool has_frame;
    uint64_t frame_us;
    double own_tick, scene_tick;
    uint32_t player_count;
    struct raim_client_player players[WATCH_MAX_PLAYERS];
    uint64_t snapshots;   // that had come
    uint64_t news_us;     // when the newest had been noticed
    uint64_t excused_us;  // until then a jump is nothing bad, for nothing had come for too long
    double farthest_jump; // units by which a displayed move exceeded a run

    // The server's state.
    uint32_t world_tick;
    uint8_t life;
    uint32_t disturbed_tick;                // when something else than its own inputs moved it last
    raim_vec2 positions[WATCH_TICKS];       // by tick modulo WATCH_TICKS
    struct watch_frame frames[WATCH_TICKS]; // the last one of each tick, likewise
    uint64_t exact;                         // of them, those that were as the server had it
    uint64_t mispredictions;
};

// Whatever befalls a player may show for a while, as what tells of it may be lost, and what was
// shown wrong fades: for a second and a half, and a round trip.
void watch_init(struct watch *watch, double round_trip_s, uint32_t tick_hz);

// The client begins to play, or plays again.
void watch_enter(struct watch *watch, struct raim_client *client);

// It plays no more.
void watch_leave(struct watch *watch);

// A frame: lets the client move its picture on.
void watch_frame(struct watch *watch, struct raim_client *client, uint64_t now_us);

// Takes the client's events and checks its scores.
void watch_receive(struct watch *watch, struct raim_client *client);

// The server has played a tick, with the input that its player pressed for it or without.
void watch_step(struct watch *watch, const struct raim_world *world, bool has_input);

// Whether the client's scores of all players equal the server's.
bool watch_agrees(const struct watch *watch, const struct raim_client *client,
                  const struct raim_world *world);
