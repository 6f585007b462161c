// SPDX-License-Identifier: MIT
// Spectators: admits them, chooses the player whom each watches, and delays what they see.
#pragma once

#include "connections.h"
#include "history.h"
#include "interest.h"

struct raim_connection;
struct raim_match;

// State of the spectators who receive everything late, and the history that they receive.
struct raim_match_delayed_spectators {
    uint32_t delay_ticks;           // 0: spectators receive everything at once
    struct raim_history history;    // without memory where delay_ticks is 0
    uint32_t history_ticks;         // ticks that it holds without a gap, counted back from now
    struct raim_interest *interest; // of `history`, delay_ticks earlier; NULL without a delay
    struct raim_wire_phase phase;   // in the WELCOME of a late spectator that is welcomed now
};

// Returns the spectator to evict for a client while max_spectators watch: the last one of the
// address with the most spectators, in the network with the most. Returns max_connections, nobody,
// unless the client's own network, or within it its address, has at least two spectators fewer.
uint32_t raim_spectators_find_evictable(const struct raim_match *match,
                                        const struct raim_connection *client);

// Admits a spectator of the player with id `target`. If there is no such player, or for 0, it
// watches the player with the most points. Returns false when max_spectators is reached and none is
// evicted.
bool raim_spectators_join(struct raim_match *match, struct raim_connection *client,
                          uint32_t target);
void raim_spectators_leave(struct raim_match *match, const struct raim_connection *client);

// Receives the WATCH of a client that plays or watches. The reader stands after the kind. A later
// WATCH replaces one that waits for raim_spectators_switch.
void raim_spectators_receive(struct raim_match *match, struct raim_connection *client,
                             raim_reader *reader);

// Switches a spectator to the player whom it has asked for, unless its last switch was less than a
// tenth of a second ago. Call it before each snapshot of a spectator that wants a switch.
void raim_spectators_switch(struct raim_match *match, struct raim_connection *client);

// Applies the events that were released in this step: the late audience learns the phase, and
// spectators switch to another player when theirs leaves. Call it once a step, after
// raim_event_log_release.
void raim_spectators_apply_events(struct raim_match *match);

// Records the step for the late audience. Call it once a step, after raim_history_record.
void raim_spectators_record(struct raim_match *match);

static inline bool raim_is_spectator(const struct raim_connection *client)
{
    return client->watches &&
           (client->state == RAIM_CONNECTION_ENTERING || client->state == RAIM_CONNECTION_PLAYING);
}

static inline enum raim_audience raim_audience_of(const struct raim_connection *client)
{
    return client->delay_ticks > 0 ? RAIM_AUDIENCE_LATE : RAIM_AUDIENCE_LIVE;
}
