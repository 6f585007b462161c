// SPDX-License-Identifier: MIT
// Compares a match with the players that were reported, by slot.
#include "arena_feed.h"

#include "mailbox.h"

#include <stdlib.h>
#include <string.h>

// A player whose arrival was reported.
struct present {
    raim_player_id id; // RAIM_NOBODY: none in this slot
    uint32_t score, deaths;
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct arena_feed {
    struct mailbox queue;    // of struct arena_feed_item; the worker sends
    uint32_t capacity, used; // of the queue: used ones are sent and not yet released

    // The worker's, and the main thread's once it is released.
    uint32_t slots;
    struct present *present;        // by slot
    struct raim_match_player *rows; // scratch, one per slot
    bool *seen;                     // scratch, one per slot
    uint32_t events;                // event count of the match when it was last compared
    uint32_t ended_round;           // the newest whose end was reported; 0: none
    bool is_behind;                 // the queue was full
    uint32_t next_rest;             // slot
};

struct arena_feed *arena_feed_create(uint32_t slots)
{
    struct arena_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL)
        return NULL;
    feed->capacity = 64;
    while (feed->capacity < 2 * slots + 2) // the end of a round and its scores fit twice
        feed->capacity *= 2;
    feed->slots = slots;
    feed->present = calloc(slots, sizeof *feed->present);
    feed->rows = calloc(slots, sizeof *feed->rows);
    feed->seen = calloc(slots, sizeof *feed->seen);
    feed->is_behind = true; // compares at once: the match may be restored
    if (mailbox_create(&feed->queue, feed->capacity, sizeof(struct arena_feed_item)) &&
        feed->present != NULL && feed->rows != NULL && feed->seen != NULL)
        return feed;
    arena_feed_destroy(feed);
    return NULL;
}

void arena_feed_destroy(struct arena_feed *feed)
{
    if (feed == NULL)
        return;
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
    feed->used++;
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

static bool report_round(struct arena_feed *feed, const struct raim_match_round *round,
                         uint32_t count)
{
    if (feed->capacity - feed->used < count + 2)
        return false;
    report(feed, &(struct arena_feed_item){.kind = ARENA_FEED_ROUND_ENDED,
                                           .player = round->winner,
                                           .round = round->round});
    for (uint32_t i = 0; i < count; i++) {
        const struct raim_match_player *row = &feed->rows[i];
        struct arena_feed_item item = {.kind = ARENA_FEED_SCORE,
                                       .player = row->id,
                                       .bot = row->bot,
                                       .round = round->round,
                                       .score = row->score,
                                       .deaths = row->deaths};
        memcpy(item.name, row->name, sizeof item.name);
        report(feed, &item);
    }
    report(feed, &(struct arena_feed_item){.kind = ARENA_FEED_SCORES_END, .round = round->round});
    feed->ended_round = round->round;
    return true;
}

bool arena_feed_run(struct arena_feed *feed, const struct raim_match *match)
{
    const struct raim_match_round round = raim_match_round(match);
    const uint32_t events = raim_match_events(match);
    const bool is_over = round.phase == RAIM_MATCH_BREAK && round.round != feed->ended_round;
    if (events == feed->events && !is_over && !feed->is_behind)
        return false;
    while (mailbox_completed(&feed->queue) != NULL) {
        mailbox_release(&feed->queue);
        feed->used--;
    }
    const uint32_t before = feed->used;
    const uint32_t count = raim_match_players(match, feed->rows, feed->slots);
    feed->events = events;
    feed->is_behind =
        !compare_players(feed, count) || (is_over && !report_round(feed, &round, count));
    return feed->used != before;
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
