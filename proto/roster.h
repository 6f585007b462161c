// SPDX-License-Identifier: MIT
// ROSTER: all players, sent once after WELCOME; EVENTS: joins, leaves, kills, chat and phases from
// then on, repeated until they are acknowledged.
#pragma once

#include "message.h"
#include "phase.h"

#define RAIM_ROSTER_ENTRY_FIELDS(FIELD)                                                            \
    FIELD(PLAYER, player, RAIM_PLAYER_ID_BITS)                                                     \
    FIELD(BOOL, bot, 1)                                                                            \
    FIELD(COUNT, score, 32)                                                                        \
    FIELD(COUNT, deaths, 32)                                                                       \
    FIELD(TEXT, name, RAIM_MAX_NAME_BYTES)

struct raim_roster_entry {
    RAIM_ROSTER_ENTRY_FIELDS(RAIM_MEMBER)
};

// Writes as many of the entries as fit one message, says how many in `written`, and returns its
// size; 0 where not even the first fits. The reader starts after the kind, accepts 1 to `capacity`
// entries, and returns false for a malformed message.
size_t raim_roster_write(const struct raim_roster_entry *entries, uint32_t count, uint32_t *written,
                         uint8_t *bytes, size_t capacity);
bool raim_roster_read(raim_reader *reader, struct raim_roster_entry *entries, uint32_t capacity,
                      uint32_t *count);

enum raim_wire_event_kind {
    RAIM_WIRE_JOINED, // `entry`
    RAIM_WIRE_LEFT,   // `player`, `reason`
    RAIM_WIRE_KILL,   // `player` destroyed `victim`; both totals follow, and the bullet's rewind
    RAIM_WIRE_CHAT,   // `player` says `text`, or the operator, with `by_operator`
    RAIM_WIRE_PHASE,  // `phase`
    RAIM_WIRE_OTHER,  // an event of a later server: `type`, `size` and bytes, to be skipped
    RAIM_WIRE_EVENT_KINDS
};

struct raim_wire_event {
    enum raim_wire_event_kind kind;
    uint32_t player;                // id
    struct raim_roster_entry entry; // JOINED: its player is `player`
    uint32_t reason;                // LEFT
    uint32_t victim;                // KILL: id
    uint32_t score;                 // KILL: the killer's new score
    uint32_t deaths;                // KILL: the victim's new deaths
    uint32_t rewind;  // KILL: ticks that the bullet was launched in the past, to RAIM_WIRE_REWIND
    bool by_operator; // CHAT: `player` is 0 and not sent
    char text[RAIM_MAX_CHAT_BYTES + 1]; // CHAT: clean, see name.h. OTHER: its bytes
    struct raim_wire_phase phase;       // PHASE
    uint32_t type, size;                // OTHER: `size` is at most RAIM_MAX_CHAT_BYTES
};

#define RAIM_MAX_EVENT_BYTES 124   // of one event: the longest chat
#define RAIM_EVENTS_HEAD_BYTES 4   // of an EVENTS message, before its first event
#define RAIM_MAX_EVENTS_MESSAGE 64 // events in one message

struct raim_events_message {
    uint32_t epoch;    // see message.h
    uint16_t sequence; // low bits of the number of the first event; the others follow one by one
    uint32_t count;    // 1 to RAIM_MAX_EVENTS_MESSAGE
    struct raim_wire_event events[RAIM_MAX_EVENTS_MESSAGE];
};

// An EVENTS message is its head and the bytes of its events, so that an event is encoded once for
// all clients. Both return the number of bytes written, which fit.
size_t raim_events_write_head(uint32_t epoch, uint32_t sequence, uint32_t count,
                              uint8_t bytes[RAIM_EVENTS_HEAD_BYTES]);
size_t raim_event_write(const struct raim_wire_event *event, uint8_t bytes[RAIM_MAX_EVENT_BYTES]);

// Starts after the kind and returns false for malformed events. The reader then stands at the
// end of the message or at the kind of a SNAPSHOT.
bool raim_events_read(raim_reader *reader, struct raim_events_message *message);
