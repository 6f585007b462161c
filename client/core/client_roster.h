// SPDX-License-Identifier: MIT
// Roster of the arena in a client, and the queue of events that the application has not read yet.
#pragma once

#include "client.h"
#include "handshake.h"
#include "pings.h"
#include "roster.h"

#define RAIM_CLIENT_ROSTER_EVENTS 1024 // unread events kept
#define RAIM_CLIENT_ROSTER_TEXTS 32    // unread chat lines and notices kept

struct raim_client_roster_event {
    uint8_t kind;           // enum raim_client_event_kind
    uint8_t rewind;         // KILL: ticks
    uint8_t phase;          // PHASE: enum raim_client_phase_kind
    uint8_t chat_rejection; // CHAT_REJECTED
    bool by_operator;       // CHAT
    raim_player_id player, victim;
    uint16_t round; // PHASE
    uint16_t text;  // CHAT, NOTICE, VOTE_REJECTED: number of lines before it, modulo 2^16
};

struct raim_client_roster {
    uint32_t tick_hz;
    raim_player_id own; // RAIM_NOBODY for a spectator
    uint32_t slots;
    struct raim_client_roster_entry *members; // by slot
    struct raim_wire_phase phase;
    uint32_t next_sequence;
    uint32_t read, written; // events ever read and written
    struct raim_client_roster_event events[RAIM_CLIENT_ROSTER_EVENTS]; // ring
    uint16_t said; // chat lines and notices ever received
    char texts[RAIM_CLIENT_ROSTER_TEXTS][RAIM_MAX_TEXT_BYTES + 1]; // ring
};

// Replaces the roster by an empty one for the arena of a welcome, and keeps unread events. False
// when memory runs out.
bool raim_client_roster_enter(struct raim_client_roster *roster,
                              const struct raim_welcome *welcome);
void raim_client_roster_destroy(struct raim_client_roster *roster);

// Takes all entries of a ROSTER. False where one names a slot that the arena does not have; then
// nothing is taken.
bool raim_client_roster_add_entries(struct raim_client_roster *roster,
                                    const struct raim_roster_entry *entries, uint32_t count);

// Whether all events that an EVENTS message adds name slots of the arena.
bool raim_client_roster_accepts_events(struct raim_client_roster *roster,
                                       const struct raim_events_message *message);

// Takes all events of an accepted EVENTS message that come next; ignores events that were taken
// before and those after a gap.
void raim_client_roster_add_events(struct raim_client_roster *roster,
                                   const struct raim_events_message *message,
                                   struct raim_client_stats *stats);

// Takes the round trips of some players. False where they are of slots that the arena does not
// have; then nothing is taken.
bool raim_client_roster_set_pings(struct raim_client_roster *roster,
                                  const struct raim_pings *pings);

// Queue an event for the application that the server sent to this client alone.
void raim_client_roster_add_chat_rejection(struct raim_client_roster *roster, uint32_t rejection);
void raim_client_roster_add_vote(struct raim_client_roster *roster,
                                 enum raim_client_event_kind kind);
void raim_client_roster_add_line(struct raim_client_roster *roster,
                                 enum raim_client_event_kind kind, const char *text);

// Takes the oldest unread event; false when there is none.
bool raim_client_roster_next_event(struct raim_client_roster *roster,
                                   struct raim_client_event *event);
