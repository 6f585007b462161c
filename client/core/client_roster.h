// SPDX-License-Identifier: MIT
// Who is in the arena, and what was heard of them that the application has not read yet.
#pragma once

#include "client.h"
#include "handshake.h"
#include "roster.h"

#define RAIM_COMPANY_EVENTS 1024
#define RAIM_COMPANY_TEXTS 16 // of chat

struct raim_company_event {
    uint8_t kind;   // enum raim_client_event_kind
    uint8_t rewind; // ticks, of KILL
    uint8_t phase;  // of PHASE: enum raim_client_phase_kind
    raim_player_id player, victim;
    uint16_t round; // of PHASE
    uint16_t text;  // of CHAT: how many there were before, modulo 2^16
};

struct raim_company {
    uint32_t tick_hz;
    raim_player_id own; // RAIM_NOBODY for a spectator
    uint32_t places;
    struct raim_client_member *members; // by place
    struct raim_wire_phase phase;
    uint32_t next_sequence;
    uint32_t read, written;                                  // events
    struct raim_company_event events[RAIM_COMPANY_EVENTS];   // ring
    uint16_t said;                                           // texts
    char texts[RAIM_COMPANY_TEXTS][RAIM_MAX_TEXT_BYTES + 1]; // ring
};

// Enters the arena of a welcome, where nobody is known yet; what is unread stays so. False where
// memory runs out.
bool raim_company_enter(struct raim_company *company, const struct raim_welcome *welcome);
void raim_company_destroy(struct raim_company *company);

// Takes all entries of a ROSTER, or all of an EVENTS; false, and nothing is taken, where one names
// a place that the arena does not have.
bool raim_company_add_roster(struct raim_company *company, const struct raim_roster_entry *entries,
                             uint32_t count);
bool raim_company_add_events(struct raim_company *company,
                             const struct raim_events_message *message,
                             struct raim_client_stats *stats);

// As raim_client_next_event.
bool raim_company_next_event(struct raim_company *company, struct raim_client_event *event);
