// SPDX-License-Identifier: MIT
// What an arena reports to the main thread: who came and left, and how rounds ended. The worker
// compares the match with what it has reported, so that nothing is lost while the queue is full: it
// is reported later. Nothing allocates after creation, and neither thread waits for the other.
#pragma once

#include "match.h"

#include <stdbool.h>
#include <stdint.h>

enum arena_feed_kind {
    ARENA_FEED_JOINED,
    ARENA_FEED_LEFT,
    ARENA_FEED_ROUND_ENDED, // `round`, `player` is the winner or RAIM_NOBODY; its scores follow
    ARENA_FEED_SCORE,       // of a player in the round that has ended; bots are included
    ARENA_FEED_SCORES_END,
};

struct arena_feed_item {
    enum arena_feed_kind kind;
    raim_player_id player;
    bool bot;
    uint32_t round;
    uint32_t score, deaths; // of LEFT and SCORE
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct arena_feed;

// `slots` is the largest number of players and bots. Returns NULL when memory runs out.
struct arena_feed *arena_feed_create(uint32_t slots);

// Takes NULL. No worker may be running the arena.
void arena_feed_destroy(struct arena_feed *feed);

// The worker's side: reports what has changed in the match since the last call. Call it after each
// tick. Returns true if it has reported something.
bool arena_feed_run(struct arena_feed *feed, const struct raim_match *match);

// The main thread's side: takes the oldest report. Returns false if there is none.
bool arena_feed_take(struct arena_feed *feed, struct arena_feed_item *item);

// Takes a report that a player has left, for each player who was still there. Returns false if
// there is none. Only after the worker has released the arena.
bool arena_feed_take_rest(struct arena_feed *feed, struct arena_feed_item *item);
