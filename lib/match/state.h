// SPDX-License-Identifier: MIT
// The inside of a match, shared by the files of lib/match and by nobody else.
#pragma once

#include "bot.h"
#include "frame.h"
#include "inbox.h"
#include "match.h"
#include "roster.h"

enum raim_connection_state {
    RAIM_CONNECTION_ABSENT,   // no connection
    RAIM_CONNECTION_WAITING,  // connected, its hello has not come
    RAIM_CONNECTION_ENTERING, // plays, and is being told the map and the roster
    RAIM_CONNECTION_PLAYING,
    RAIM_CONNECTION_REFUSED, // is to be told goodbye
    RAIM_CONNECTION_LEAVING, // said goodbye and is to be closed
    RAIM_CONNECTION_CLOSED,  // nothing more to do
};

// One connection. What it was shown is remembered per tick: it becomes a baseline once it is
// acknowledged.
struct raim_connection {
    enum raim_connection_state state;
    uint32_t reason; // of its goodbye
    raim_player_id player;
    uint32_t since_tick;     // of its connection
    uint32_t obstacles_told; // while entering
    uint32_t roster_told;
    uint32_t first_tick; // of its first snapshot
    bool welcome_told;
    bool has_shown; // any snapshot
    bool has_acked;
    uint32_t acked_tick; // newest snapshot it has
    struct raim_inbox inbox;
    struct raim_shown {
        uint32_t tick;
        bool valid;
        raim_wire_self self;
        uint64_t *players; // sets of places
        uint64_t *bullets;
    } shown[RAIM_SNAPSHOT_HISTORY]; // by tick modulo RAIM_SNAPSHOT_HISTORY
};

// Where something that may be seen is.
struct raim_sighting {
    raim_vec2 position;
    uint32_t place;
};

// Who sits in a place of the world.
struct raim_member {
    char name[RAIM_MATCH_NAME_BYTES];
    bool bot;
    uint32_t client; // index of its client; unused for bots
    uint32_t joined_tick;
    struct raim_bot brain; // of bots
};

// What the outbox does next; it goes through these once a tick.
enum raim_outbox_stage {
    RAIM_OUTBOX_DOORS,     // welcomes and goodbyes, client by client
    RAIM_OUTBOX_EVENTS,    // message by message, each to every playing client
    RAIM_OUTBOX_SNAPSHOTS, // client by client
    RAIM_OUTBOX_DONE,
};

struct raim_match {
    struct raim_match_def def;
    struct raim_world *world;
    struct raim_history history;
    struct raim_connection *clients; // def.max_connections
    struct raim_member *members;     // by place
    raim_input *inputs;              // by place
    struct raim_events happened;     // in the last step
    struct raim_sighting *walking;   // living players as of the last step
    struct raim_sighting *flying;    // bullets likewise
    uint32_t walking_count, flying_count;
    uint64_t *shown_memory;
    uint32_t playing; // clients with a player
    uint64_t refused[RAIM_REFUSALS];

    struct raim_wire_event *events; // not yet told
    uint32_t event_count, event_capacity;
    uint32_t event_sequence; // of events[0]

    enum raim_outbox_stage stage;
    uint32_t next_client;
    uint32_t events_first, events_size; // the run of events that `message` holds
    size_t message_size;
    uint8_t message[RAIM_MAX_MESSAGE_BYTES];
    struct {
        double distance;
        uint32_t place;
        bool is_bullet;
    } * crowd; // scratch for snapshots that do not fit
};

// --- members.c: who plays ---

// Lets a client or a bot in; its name must be clean. RAIM_NOBODY when there is no place.
raim_player_id raim_members_join(struct raim_match *match, const char *name, bool bot,
                                 uint32_t client);
void raim_members_leave(struct raim_match *match, raim_player_id id, enum raim_reason reason);
void raim_members_fill_entry(const struct raim_match *match, uint32_t place,
                             struct raim_roster_entry *entry);

// Fills the inputs of the bots.
void raim_members_think(struct raim_match *match);

// Turns what happened in the step into events for clients.
void raim_members_tell(struct raim_match *match);

// --- view.c: what a client sees ---

// Once a step, before the clients' views.
void raim_view_prepare(struct raim_match *match);

// Writes the snapshot of the world as of the last step for a playing client.
size_t raim_view_write(struct raim_match *match, struct raim_connection *client, uint8_t *bytes,
                       size_t capacity);

// Takes a client's word for the newest snapshot it has.
enum raim_refusal raim_view_acknowledge(const struct raim_match *match,
                                        struct raim_connection *client, uint32_t tick);
