// SPDX-License-Identifier: MIT
// Queue of events from an arena to the main thread: players that join and leave, results of rounds
// and, on request, chat and kills. The worker reads the match's events once a tick. Arrivals,
// departures and rounds are never lost: while the queue is full they are reported later, by a
// comparison of the match with what was reported. Other items that find no room are counted.
// Nothing allocates after creation, and neither thread waits for the other.
#pragma once

#include "ip_address.h"
#include "round_report.h"

#include <stdbool.h>
#include <stdint.h>

enum arena_event_kind {
    ARENA_EVENT_JOINED,      // a client's player; not a bot
    ARENA_EVENT_LEFT,        // `reason`, `score` and `deaths`
    ARENA_EVENT_ROUND_ENDED, // its report is the oldest one of event_queue_round
    ARENA_EVENT_CHAT,        // `text` of `player`, or of the operator, who is RAIM_NOBODY
    ARENA_EVENT_KILL,        // `player` destroyed `other`; either may be a bot
    ARENA_EVENT_VOTE,        // `vote` was called, or has ended; with the `address` of its target
    ARENA_EVENT_LINE,        // `text` of an admin's command, in the connection `epoch`
    ARENA_EVENT_MAP_WANTED,  // `text`: the name of the map
    ARENA_EVENT_KINDS
};

struct arena_event {
    enum arena_event_kind kind;
    raim_player_id player, other;
    uint32_t score, deaths;
    uint32_t reason; // enum raim_reason
    uint32_t epoch;
    bool is_encrypted;   // the connection of a LINE
    uint8_t admin_level; // of the player of a LINE; `other_name` is that of the login
    union {
        struct { // of all but VOTE
            char name[RAIM_MAX_NAME_BYTES + 1], other_name[RAIM_MAX_NAME_BYTES + 1];
            char text[RAIM_MAX_TEXT_BYTES + 1];
        };
        struct {
            struct raim_match_vote vote;
            struct ip_address address; // none: not known
        };
    };
};

struct event_queue;

struct event_queue_def {
    uint32_t slots;    // the largest number of players and bots
    uint32_t departed; // the largest number of players who left during a round
};

// Returns NULL when memory runs out.
struct event_queue *event_queue_create(const struct event_queue_def *def);

// Takes NULL. No worker may be running the arena.
void event_queue_destroy(struct event_queue *queue);

// --- The worker's side ---

// Reports what has happened since the last call. Call it after each step. Returns true if it has
// reported something.
bool event_queue_run(struct event_queue *queue, const struct raim_match *match);

// Reports an item of any kind but JOINED, LEFT and ROUND_ENDED. Returns false, and counts it as
// lost, if the queue is full.
bool event_queue_post(struct event_queue *queue, const struct arena_event *item);

// Memory for the report of a round, with room for the players of the def; NULL if too many reports
// wait to be read. event_queue_end_round hands it over.
struct round_report *event_queue_begin_round(struct event_queue *queue);
void event_queue_end_round(struct event_queue *queue);

// Counts a round whose report found no room.
void event_queue_lose_round(struct event_queue *queue);

// --- The main thread's side ---

// Which of CHAT and KILL are reported from the next tick on; neither at first.
void event_queue_want(struct event_queue *queue, bool chat, bool kills);

// Takes the oldest item. Returns false if there is none.
bool event_queue_take(struct event_queue *queue, struct arena_event *item);

// Takes an item that a player has left, with the reason SHUTDOWN, for each player who was still
// there. Returns false if there is none. Only after the worker has released the arena.
bool event_queue_take_rest(struct event_queue *queue, struct arena_event *item);

// The oldest report of a round, which belongs to the oldest ROUND_ENDED; NULL if there is none.
// Valid until event_queue_release_round.
const struct round_report *event_queue_round(struct event_queue *queue);
void event_queue_release_round(struct event_queue *queue);

// The number of lost items of a kind since the last call.
uint32_t event_queue_take_lost(struct event_queue *queue, enum arena_event_kind kind);
