// SPDX-License-Identifier: MIT
// The state of a client, shared by two files: client.c changes it with every message, and
// client_view.c shows it to the application.
#pragma once

#include "client.h"
#include "client_roster.h"
#include "clock.h"
#include "handshake.h"
#include "input.h"
#include "interpolation.h"
#include "prediction.h"
#include "replica.h"
#include "session.h"
#include "vote.h"

// The server's votes, since the last WELCOME: client_votes.c.
struct raim_client_votes {
    struct raim_vote_offer offer;
    struct raim_vote_report began;
    struct raim_vote_tally tally;
    bool runs;
    uint64_t end_us;  // of the running vote
    uint32_t choice;  // the local player's
    uint32_t outcome; // of the last vote
};

enum { RAIM_CLIENT_MAX_ROSTER_MESSAGE = 512 }; // entries; no message holds more

struct raim_client {
    struct raim_hello hello;
    struct raim_session session;
    struct raim_client_end end;
    struct raim_client_stats stats;
    struct raim_welcome welcome;
    uint32_t roster_left; // entries still to be received
    struct raim_client_roster roster;
    struct raim_client_votes votes;
    struct raim_replica replica;      // map and snapshots
    const struct raim_map *shown_map; // the map at the last raim_client_interpolate
    struct raim_map *old_map;         // shown_map, where another map has replaced it
    struct raim_clock clock;
    struct raim_prediction prediction; // unused by a spectator
    struct raim_interpolation interpolation;
    uint64_t hello_us;
    uint16_t acked_events;                   // by the last INPUT
    uint32_t input_tick;                     // tick of sent[0]
    uint32_t sent_count;                     // inputs in `sent`, at most raim_clock_inputs
    raim_wire_input sent[RAIM_MAX_INPUTS];   // inputs sent, newest first
    struct raim_input_pace input_pace;       // unused by a spectator
    char challenge[RAIM_MAX_TEXT_BYTES + 1]; // of the server, not answered yet; "": none
    double packets_arrived, packets_sent;    // the server's recent unreliable packets
    union {
        struct raim_wire_obstacle obstacles[RAIM_REPLICA_MAX_OBSTACLES_MESSAGE];
        struct raim_roster_entry entries[RAIM_CLIENT_MAX_ROSTER_MESSAGE];
        struct raim_events_message events;
    } received; // the message that is being read, too large for a stack
};

// Reads a VOTE after its kind. False for a malformed message.
bool raim_client_receive_vote(struct raim_client *client, uint64_t now_us, raim_reader *reader);

// Copies the def of an application, which may be of an older or a newer version of the library.
// False for one without its size.
bool raim_client_read_def(const struct raim_client_def *from, struct raim_client_def *def);
