// SPDX-License-Identifier: MIT
// A bot as a client with latency but without loss: it acts on delayed snapshots and its inputs
// arrive late. Delays are whole ticks of the world. It reads the snapshots with the real reader and
// keeps its own history.
#pragma once

#include "bot.h"
#include "match.h"
#include "snapshot.h"

#define LAGGED_MAX_TICKS 15 // of a round trip

struct lagged_client {
    uint32_t handle;
    uint32_t down, up; // ticks that a message takes to the client, and from it
    const struct raim_map *map;
    raim_vec2 view; // the bot's view, units
    struct raim_bot brain;

    struct raim_wire_limits limits; // from the welcome; players 0 until it came
    uint32_t slot;                  // of its player, from WELCOME
    void *memory;
    struct raim_wire_frame frames[RAIM_MAX_HISTORY]; // by tick modulo limits.history
    bool has[RAIM_MAX_HISTORY];
    struct raim_wire_frame spare; // holds a snapshot until all of it has been read
    bool any;
    uint32_t newest;     // tick of the newest frame
    uint16_t next_event; // the first that has not arrived
    uint64_t unread;     // snapshots that could not be read

    // On their way, by the tick of their arrival: the channels keep the order, and there is one of
    // each a tick.
    struct lagged_message {
        size_t size;
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    } snapshots[LAGGED_MAX_TICKS + 1], inputs[LAGGED_MAX_TICKS + 1];
};

// A press that answers what a snapshot shows is seen in the world `round_trip` ticks after it, 1
// to LAGGED_MAX_TICKS; the way down takes the longer half of it. Borrows the map.
void lagged_client_init(struct lagged_client *client, uint32_t handle, uint32_t round_trip,
                        const struct raim_map *map, raim_vec2 view, uint64_t seed);
void lagged_client_release(struct lagged_client *client);

// Connects and sends HELLO.
void lagged_client_enter(const struct lagged_client *client, struct raim_match *match);

// Before a step: hands the match what reaches it now.
void lagged_client_deliver(struct lagged_client *client, struct raim_match *match);

// After a step: takes a message of the match. The welcome comes at once, a snapshot late, and of
// the others it has no need. False when memory is short.
bool lagged_client_take(struct lagged_client *client, const struct raim_match *match,
                        const struct raim_outgoing *message);

// After a step, when every message has been taken: reads the snapshot that reaches it now, thinks
// and presses.
void lagged_client_play(struct lagged_client *client, const struct raim_match *match);

// The newest snapshot that tells of a tick or an earlier one, not more than a second back; NULL
// where there is none. Everything in it moves on as predicted until another comes.
const struct raim_wire_frame *lagged_client_at(const struct lagged_client *client, uint32_t tick);
