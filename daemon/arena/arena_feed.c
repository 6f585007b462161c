// SPDX-License-Identifier: MIT
// Compares a match with the players that were reported, by slot.
#include "arena_feed.h"

#include "mailbox.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// A player whose arrival was reported.
struct present {
    raim_player_id id; // RAIM_NOBODY: none in this slot
    uint32_t score, deaths;
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct arena_feed {
    bool players;
    struct mailbox queue;  // of struct arena_feed_item; the worker sends, as with the other one
    struct mailbox rounds; // of struct round_report
    _Atomic uint32_t lost; // rounds

    // The worker's, and the main thread's once it is released.
    uint32_t slots;
    struct present *present;        // by slot
    struct raim_match_player *rows; // scratch, one per slot
    bool *seen;                     // scratch, one per slot
    uint32_t events;                // event count of the match when it was last compared
    bool is_behind;                 // the queue was full
    bool has_reported;              // in this run
    uint32_t next_rest;             // slot
};

enum { ROUNDS = 4 }; // reports that wait to be read

// The smallest power of two that is at least `count`.
static uint32_t capacity_for(uint32_t count)
{
    uint32_t capacity = 64;
    while (capacity < count)
        capacity *= 2;
    return capacity;
}

struct arena_feed *arena_feed_create(const struct arena_feed_def *def)
{
    struct arena_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL)
        return NULL;
    feed->players = def->players;
    bool good =
        mailbox_create(&feed->rounds, ROUNDS, round_report_bytes(def->slots + def->departed));
    if (good && def->players) {
        feed->slots = def->slots;
        feed->present = calloc(def->slots, sizeof *feed->present);
        feed->rows = calloc(def->slots, sizeof *feed->rows);
        feed->seen = calloc(def->slots, sizeof *feed->seen);
        feed->is_behind = true; // compares at once: the match may be restored
        good = mailbox_create(&feed->queue, capacity_for(def->slots),
                              sizeof(struct arena_feed_item)) &&
               feed->present != NULL && feed->rows != NULL && feed->seen != NULL;
    }
    if (good)
        return feed;
    arena_feed_destroy(feed);
    return NULL;
}

void arena_feed_destroy(struct arena_feed *feed)
{
    if (feed == NULL)
        return;
    mailbox_destroy(&feed->rounds);
    mailbox_destroy(&feed->queue);
    free(feed->present);
    free(feed->rows);
    free(feed->seen);
    free(feed);
}

// --- The worker's side ---

// Returns false if the queue is full.
static bool report(struct arena_feed *feed, const struct arena_feed_item *item)
{
    struct arena_feed_item *blank = mailbox_reserve(&feed->queue);
    if (blank == NULL)
        return false;
    *blank = *item;
    mailbox_submit(&feed->queue);
    feed->has_reported = true;
    return true;
}

static struct arena_feed_item left_item(const struct present *present)
{
    struct arena_feed_item item = {.kind = ARENA_FEED_LEFT,
                                   .player = present->id,
                                   .score = present->score,
                                   .deaths = present->deaths};
    memcpy(item.name, present->name, sizeof item.name);
    return item;
}

static bool report_left(struct arena_feed *feed, struct present *present)
{
    const struct arena_feed_item item = left_item(present);
    if (!report(feed, &item))
        return false;
    present->id = RAIM_NOBODY;
    return true;
}

static bool report_joined(struct arena_feed *feed, struct present *present,
                          const struct raim_match_player *row)
{
    struct arena_feed_item item = {.kind = ARENA_FEED_JOINED, .player = row->id};
    memcpy(item.name, row->name, sizeof item.name);
    if (!report(feed, &item))
        return false;
    present->id = row->id;
    memcpy(present->name, row->name, sizeof present->name);
    return true;
}

// Reports the players who have left, then those who have joined. Returns false if the queue became
// full.
static bool compare_players(struct arena_feed *feed, uint32_t count)
{
    bool good = true;
    memset(feed->seen, 0, feed->slots * sizeof *feed->seen);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = raim_player_slot(feed->rows[i].id);
        if (slot < feed->slots)
            feed->seen[slot] = feed->present[slot].id == feed->rows[i].id;
    }
    for (uint32_t slot = 0; slot < feed->slots && good; slot++)
        if (feed->present[slot].id != RAIM_NOBODY && !feed->seen[slot])
            good = report_left(feed, &feed->present[slot]);
    for (uint32_t i = 0; i < count && good; i++) {
        const struct raim_match_player *row = &feed->rows[i];
        const uint32_t slot = raim_player_slot(row->id);
        if (row->bot || slot >= feed->slots)
            continue;
        struct present *present = &feed->present[slot];
        if (present->id != row->id)
            good = report_joined(feed, present, row);
        present->score = row->score;
        present->deaths = row->deaths;
    }
    return good;
}

static void release(struct mailbox *mailbox)
{
    while (mailbox_completed(mailbox) != NULL)
        mailbox_release(mailbox);
}

bool arena_feed_run(struct arena_feed *feed, const struct raim_match *match)
{
    const uint32_t events = raim_match_events(match);
    if (!feed->players || (events == feed->events && !feed->is_behind))
        return false;
    release(&feed->queue);
    feed->has_reported = false;
    const uint32_t count = raim_match_players(match, feed->rows, feed->slots);
    feed->events = events;
    feed->is_behind = !compare_players(feed, count);
    return feed->has_reported;
}

struct round_report *arena_feed_begin_round(struct arena_feed *feed)
{
    if (feed->players) {
        release(&feed->queue);
        if (mailbox_reserve(&feed->queue) == NULL)
            return NULL;
    }
    release(&feed->rounds);
    return mailbox_reserve(&feed->rounds);
}

void arena_feed_end_round(struct arena_feed *feed)
{
    mailbox_submit(&feed->rounds);
    if (feed->players)
        report(feed, &(struct arena_feed_item){.kind = ARENA_FEED_ROUND_ENDED});
}

void arena_feed_lose_round(struct arena_feed *feed)
{
    atomic_fetch_add_explicit(&feed->lost, 1, memory_order_relaxed);
}

// --- The main thread's side ---

bool arena_feed_take(struct arena_feed *feed, struct arena_feed_item *item)
{
    const struct arena_feed_item *oldest = mailbox_peek(&feed->queue);
    if (oldest == NULL)
        return false;
    *item = *oldest;
    mailbox_complete(&feed->queue);
    return true;
}

bool arena_feed_take_rest(struct arena_feed *feed, struct arena_feed_item *item)
{
    for (; feed->next_rest < feed->slots; feed->next_rest++) {
        struct present *present = &feed->present[feed->next_rest];
        if (present->id == RAIM_NOBODY)
            continue;
        *item = left_item(present);
        present->id = RAIM_NOBODY;
        return true;
    }
    return false;
}

const struct round_report *arena_feed_round(struct arena_feed *feed)
{
    return mailbox_peek(&feed->rounds);
}

void arena_feed_release_round(struct arena_feed *feed)
{
    mailbox_complete(&feed->rounds);
}

uint32_t arena_feed_take_lost(struct arena_feed *feed)
{
    return atomic_exchange_explicit(&feed->lost, 0, memory_order_relaxed);
}
