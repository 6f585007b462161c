// SPDX-License-Identifier: MIT
// The state of a match. Each module declares its part in its header. Private to lib/match.
#pragma once

#include "chat_input.h"
#include "connections.h"
#include "event_log.h"
#include "match.h"
#include "notices.h"
#include "origins.h"
#include "outbox.h"
#include "players.h"
#include "rounds.h"
#include "sessions.h"
#include "snapshots.h"
#include "spectators.h"
#include "votes_internal.h"

// Settings that the operator may change while the match runs, and values derived from them.
struct raim_match_policy {
    struct raim_match_tuning tuning; // initially from the def
    uint32_t grace_ticks;            // time for which the player of a lost connection is kept
    uint32_t idle_ticks; // time without a new input after which a player is idle; 0: never
    bool draining;       // only resuming clients are admitted
};

struct raim_match {
    struct raim_match_def def;
    struct raim_match_policy policy;

    struct raim_world *world;
    uint64_t identity;              // of the world and the map, see raim_world_identity
    uint32_t began_tick;            // ticks up to this one belong to the preceding match
    raim_input *inputs;             // of the next step, by slot
    struct raim_events step_events; // of the last step
    struct raim_world_workspace *workspace;

    struct raim_connection *connections; // def.max_connections
    uint64_t *connected;                 // set of the clients that are not absent
    uint32_t connected_count;
    struct raim_notice_queue *notices; // by client
    struct raim_match_lines lines;
    struct raim_match_session *sessions; // by slot
    uint64_t *taken;                     // set of the slots with a player
    uint32_t playing;                    // sessions that are not bots
    uint32_t bots;                       // sessions that are bots
    struct raim_bot_paths *own_paths;    // where the definition has none
    uint32_t watching;                   // clients that are spectators
    uint32_t empty_ticks;                // consecutive steps without a player or connection
    uint32_t snapshot_interval;          // ticks from a client's snapshot to its next

    struct raim_rounds rounds;
    struct raim_match_departed departed;
    char next_map[RAIM_MAX_TITLE_BYTES + 1]; // see raim_match_set_next_map
    struct raim_event_log log;
    struct raim_match_interest interest;
    struct raim_match_delayed_spectators delayed_spectators;
    struct raim_match_outbox outbox;
    struct raim_match_counts totals; // without those of now, which raim_match_counts adds
    struct raim_match_votes votes;
    struct raim_origins origins;
    const struct raim_match_observer *observer; // NULL: none
    struct raim_recording_input *records;       // NULL: nothing is recorded
};

// A time of the match in ticks, rounded.
static inline uint32_t raim_match_ticks_of(const struct raim_match *match, double seconds)
{
    return (uint32_t)(seconds * match->def.tick_hz + 0.5);
}

// Begins to load memory into the processor's cache.
static inline void raim_match_load(const void *memory, size_t bytes)
{
    const uint8_t *end = (const uint8_t *)memory + bytes;
    for (const uint8_t *line = (const uint8_t *)((uintptr_t)memory & ~(uintptr_t)63); line < end;
         line += 64)
        __builtin_prefetch(line);
}

static inline void raim_match_begin_work(const struct raim_match *match, enum raim_match_work work)
{
    if (match->observer != NULL)
        match->observer->begins(match->observer->context, work);
}

// The lowest connected client at or above `client`, or max_connections.
static inline uint32_t raim_match_next_client(const struct raim_match *match, uint32_t client)
{
    return raim_set_next(match->connected, client, match->def.max_connections);
}

// The lowest slot with a player at or above `slot`, or max_players.
static inline uint32_t raim_match_next_slot(const struct raim_match *match, uint32_t slot)
{
    return raim_set_next(match->taken, slot, match->world->max_players);
}

// --- record.c: records, for a recording, what clients were sent and which inputs arrived ---

// Records the set of entities that a client was sent in this tick. Call it for every client that is
// served.
void raim_record_sent(struct raim_match *match, const struct raim_connection *client);

// Records how many inputs of a client arrived. Call it when the input of the tick was taken.
void raim_record_traffic(struct raim_match *match, const struct raim_connection *client,
                         bool is_missed);

// Begin and end the records of what a tick sends.
void raim_record_begin_sent(struct raim_match *match);
void raim_record_end_tick(struct raim_match *match);
