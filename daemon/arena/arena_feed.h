// SPDX-License-Identifier: MIT
// What an arena reports to the main thread: how rounds ended and, for arenas on demand, who came
// and left. The worker compares the match with what it has reported, so that nothing is lost while
// the queue is full: it is reported later. Nothing allocates after creation, and neither thread
// waits for the other.
#pragma once

#include "round_report.h"

#include <stdbool.h>
#include <stdint.h>

enum arena_feed_kind {
    ARENA_FEED_JOINED,
    ARENA_FEED_LEFT,
    ARENA_FEED_ROUND_ENDED, // its report is the oldest one of arena_feed_round
};

struct arena_feed_item {
    enum arena_feed_kind kind;
    raim_player_id player;  // of JOINED and LEFT
    uint32_t score, deaths; // of LEFT
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct arena_feed;

struct arena_feed_def {
    uint32_t slots;    // the largest number of players and bots
    uint32_t departed; // the largest number of players who left during a round
    bool players;      // items are reported; false: the reports of rounds alone
};

// Returns NULL when memory runs out.
struct arena_feed *arena_feed_create(const struct arena_feed_def *def);

// Takes NULL. No worker may be running the arena.
void arena_feed_destroy(struct arena_feed *feed);

// --- The worker's side ---

// Reports who has come and left since the last call. Call it after each tick. Returns true if it
// has reported something.
bool arena_feed_run(struct arena_feed *feed, const struct raim_match *match);

// Memory for the report of a round, with room for the players of the def; NULL if too many reports
// wait to be read. arena_feed_end_round hands it over.
struct round_report *arena_feed_begin_round(struct arena_feed *feed);
void arena_feed_end_round(struct arena_feed *feed);

// Counts a round whose report found no room.
void arena_feed_lose_round(struct arena_feed *feed);

// --- The main thread's side ---

// Takes the oldest item. Returns false if there is none.
bool arena_feed_take(struct arena_feed *feed, struct arena_feed_item *item);

// Takes an item that a player has left, for each player who was still there. Returns false if there
// is none. Only after the worker has released the arena.
bool arena_feed_take_rest(struct arena_feed *feed, struct arena_feed_item *item);

// The oldest report of a round; NULL if there is none. Valid until arena_feed_release_round. Where
// items are reported, it belongs to the oldest ROUND_ENDED.
const struct round_report *arena_feed_round(struct arena_feed *feed);
void arena_feed_release_round(struct arena_feed *feed);

// The number of lost rounds since the last call.
uint32_t arena_feed_take_lost(struct arena_feed *feed);
