// SPDX-License-Identifier: MIT
// Connections of a match: their state, and functions that reject and end them.
#pragma once

#include "event_cursor.h"
#include "event_log.h"
#include "inbox.h"
#include "match.h"
#include "rewind_limit.h"

struct raim_match;

enum raim_connection_state {
    RAIM_CONNECTION_ABSENT,   // no connection
    RAIM_CONNECTION_WAITING,  // connected, its HELLO has not arrived
    RAIM_CONNECTION_ENTERING, // admitted; WELCOME, map and roster are being sent
    RAIM_CONNECTION_PLAYING,
    RAIM_CONNECTION_REJECTED, // its GOODBYE is to be sent
    RAIM_CONNECTION_LEAVING,  // sent GOODBYE and is to be closed
    RAIM_CONNECTION_CLOSED,   // done
};

// One connection. A successor of the match copies the members above `player`.
struct raim_connection {
    enum raim_connection_state state;
    uint32_t reason;                   // of its goodbye
    char why[RAIM_MAX_TEXT_BYTES + 1]; // the operator's reason; otherwise empty
    uint8_t token[RAIM_TOKEN_BYTES];   // of the session that the connection may begin
    uint32_t since_tick;               // tick of the connection
    uint32_t message_bytes;            // at most, of each of its messages
    uint32_t epoch;                    // of its last WELCOME, see message.h
    uint32_t chat_rejection;           // enum raim_chat_rejection to report; 0: none
    uint64_t origin, network;          // see raim_match_set_origin
    bool watches;                      // it is a spectator, or asked to be one
    bool wants_pings;                  // by its HELLO
    bool wants_votes;                  // by its HELLO
    bool reads_notices;                // by its HELLO
    uint8_t notices;                   // lines in its queue
    uint8_t ping;                      // its round trip, see pings.h

    raim_player_id player;  // that it plays; RAIM_NOBODY: a spectator, or not admitted yet
    raim_player_id watched; // by a spectator; RAIM_NOBODY: until a player joins
    bool wants_switch;      // a spectator has asked for the view of `wanted`
    raim_player_id wanted;  // RAIM_NOBODY: the server chooses
    uint32_t switched_tick; // tick of its last switch
    uint32_t slot;          // of the viewed player: its own or the watched one
    uint32_t delay_ticks;   // delay of everything that a spectator receives

    uint32_t obstacles_sent; // while entering
    uint32_t roster_sent;
    uint32_t first_tick; // it receives events and snapshots from this tick on
    bool welcome_sent;
    struct {
        bool runs;              // the client was sent that vote `number` runs
        uint8_t choice;         // the client's own choice as it was sent
        uint8_t rejection;      // enum raim_vote_rejection to report; 0: none
        uint16_t amount;        // of `rejection`
        uint32_t number;        // of the vote that was sent last
        uint32_t tally_version; // sent last
        uint32_t offer_version; // sent last
    } vote;                     // since its last WELCOME
    uint32_t notice_tick;       // in which the last notice was sent
    struct raim_event_cursor events;

    // --- snapshots.c ---
    uint8_t *sent_view; // struct raim_sent_view by tick, see raim_sent_view_at
    uint32_t sent_tick; // tick of the newest snapshot sent
    bool has_acked;
    uint32_t acked_tick;   // tick of the newest snapshot that it has acknowledged
    uint32_t quiet_since;  // from this tick on each frame was predictable from the previous one
    uint32_t changed_tick; // the newest tick that differed from its prediction in more than aims
    double latency_ticks;  // see raim_snapshots_acknowledge; 0 before the first one
    bool is_pending;       // the last snapshot left entities out
    uint8_t *waited;       // see priority.h

    struct raim_rewind_limit rewind_limit;
    struct raim_inbox inbox;
    uint32_t arrivals; // INPUT messages since the last step
    uint32_t rtt_ms;   // the transport's; valid while the rewind limit holds it
};

void raim_connections_reject(struct raim_match *match, struct raim_connection *client,
                             enum raim_rejection rejection, enum raim_reason reason);

// Counts a handle as connected, or as absent again. Repeated calls change nothing.
void raim_connections_add(struct raim_match *match, uint32_t client);
void raim_connections_remove(struct raim_match *match, uint32_t client);

// Removes a connection's player or spectator from the match.
void raim_connections_leave(struct raim_match *match, struct raim_connection *client,
                            enum raim_reason reason);
