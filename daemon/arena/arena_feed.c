// SPDX-License-Identifier: MIT
// Follows the match's events by their numbers, and compares the match with the players that were
// reported, by slot, where it cannot.
#include "arena_feed.h"

#include "mailbox.h"
#include "message.h"
#include "roster.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// A player whose arrival was reported, or a bot, whose is not.
struct present {
    raim_player_id id; // RAIM_NOBODY: none in this slot
    bool bot;
    uint32_t reason; // of its departure, where that is known
    uint32_t score, deaths;
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct arena_feed {
    struct mailbox queue;  // of struct arena_feed_item; the worker sends, as with the other one
    struct mailbox rounds; // of struct round_report
    _Atomic bool wants_chat, wants_kills;
    _Atomic uint32_t lost[ARENA_FEED_KINDS];

    // The worker's, and the main thread's once it is released.
    uint32_t slots;
    struct present *present;        // by slot
    struct raim_match_player *rows; // scratch, one per slot
    bool *seen;                     // scratch, one per slot
    uint32_t events;                // number of the match's next event
    bool is_behind;                 // what was reported has to be compared with the match
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
    feed->slots = def->slots;
    feed->present = calloc(def->slots, sizeof *feed->present);
    feed->rows = calloc(def->slots, sizeof *feed->rows);
    feed->seen = calloc(def->slots, sizeof *feed->seen);
    feed->is_behind = true; // compares at once: the match may be restored
    if (mailbox_create(&feed->rounds, ROUNDS, round_report_bytes(def->slots + def->departed)) &&
        mailbox_create(&feed->queue, capacity_for(def->slots), sizeof(struct arena_feed_item)) &&
        feed->present != NULL && feed->rows != NULL && feed->seen != NULL)
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

static void release(struct mailbox *mailbox)
{
    while (mailbox_completed(mailbox) != NULL)
        mailbox_release(mailbox);
}

static void lose(struct arena_feed *feed, enum arena_feed_kind kind)
{
    atomic_fetch_add_explicit(&feed->lost[kind], 1, memory_order_relaxed);
}

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

bool arena_feed_post(struct arena_feed *feed, const struct arena_feed_item *item)
{
    release(&feed->queue);
    const bool has_room = report(feed, item);
    if (!has_room)
        lose(feed, item->kind);
    return has_room;
}

static struct arena_feed_item left_item(const struct present *present)
{
    struct arena_feed_item item = {.kind = ARENA_FEED_LEFT,
                                   .player = present->id,
                                   .reason = present->reason,
                                   .score = present->score,
                                   .deaths = present->deaths};
    memcpy(item.name, present->name, sizeof item.name);
    return item;
}

static bool report_left(struct arena_feed *feed, struct present *present)
{
    const struct arena_feed_item item = left_item(present);
    if (!present->bot && !report(feed, &item))
        return false;
    present->id = RAIM_NOBODY;
    return true;
}

static bool report_joined(struct arena_feed *feed, struct present *present,
                          const struct present *arrived)
{
    struct arena_feed_item item = {.kind = ARENA_FEED_JOINED, .player = arrived->id};
    memcpy(item.name, arrived->name, sizeof item.name);
    if (!arrived->bot && !report(feed, &item))
        return false;
    *present = *arrived;
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
        if (slot >= feed->slots)
            continue;
        struct present *present = &feed->present[slot];
        struct present arrived = {
            .id = row->id, .bot = row->bot, .score = row->score, .deaths = row->deaths};
        memcpy(arrived.name, row->name, sizeof arrived.name);
        if (present->id != row->id)
            good = report_joined(feed, present, &arrived);
        else
            *present = arrived;
    }
    return good;
}

// The entry of a player who was reported; NULL: none.
static struct present *find(const struct arena_feed *feed, uint32_t id)
{
    const uint32_t slot = raim_player_slot((raim_player_id)id);
    return id != RAIM_NOBODY && slot < feed->slots && feed->present[slot].id == id
               ? &feed->present[slot]
               : NULL;
}

static void note_joined(struct arena_feed *feed, const struct raim_roster_entry *entry)
{
    struct present arrived = {.id = (raim_player_id)entry->player,
                              .bot = entry->bot,
                              .score = entry->score,
                              .deaths = entry->deaths};
    const uint32_t slot = raim_player_slot(arrived.id);
    memcpy(arrived.name, entry->name, sizeof arrived.name);
    // While behind, the next comparison reports it: in the slot may be one who has left.
    if (slot < feed->slots && !feed->is_behind)
        feed->is_behind = !report_joined(feed, &feed->present[slot], &arrived);
}

static void note_left(struct arena_feed *feed, const struct raim_wire_event *event)
{
    struct present *present = find(feed, event->player);
    if (present == NULL)
        return;
    present->reason = event->reason;
    if (!feed->is_behind)
        feed->is_behind = !report_left(feed, present);
}

static void note_kill(struct arena_feed *feed, const struct raim_wire_event *event)
{
    struct present *killer = find(feed, event->player), *victim = find(feed, event->victim);
    struct arena_feed_item item = {.kind = ARENA_FEED_KILL,
                                   .player = (raim_player_id)event->player,
                                   .other = (raim_player_id)event->victim};
    if (killer != NULL) {
        killer->score = event->score;
        memcpy(item.name, killer->name, sizeof item.name);
    }
    if (victim != NULL) {
        victim->deaths = event->deaths;
        memcpy(item.other_name, victim->name, sizeof item.other_name);
    }
    if (atomic_load_explicit(&feed->wants_kills, memory_order_relaxed) && !report(feed, &item))
        lose(feed, ARENA_FEED_KILL);
}

static void note_chat(struct arena_feed *feed, const struct raim_wire_event *event)
{
    const struct present *speaker = find(feed, event->player);
    struct arena_feed_item item = {.kind = ARENA_FEED_CHAT,
                                   .player = (raim_player_id)event->player};
    if (!atomic_load_explicit(&feed->wants_chat, memory_order_relaxed))
        return;
    if (speaker != NULL)
        memcpy(item.name, speaker->name, sizeof item.name);
    memcpy(item.text, event->text, sizeof item.text);
    if (!report(feed, &item))
        lose(feed, ARENA_FEED_CHAT);
}

static void note_event(struct arena_feed *feed, const struct raim_wire_event *event)
{
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        note_joined(feed, &event->entry);
        break;
    case RAIM_WIRE_LEFT:
        note_left(feed, event);
        break;
    case RAIM_WIRE_KILL:
        note_kill(feed, event);
        break;
    case RAIM_WIRE_CHAT:
        note_chat(feed, event);
        break;
    default: // a new round changes every score
        feed->is_behind = true;
        break;
    }
}

bool arena_feed_run(struct arena_feed *feed, const struct raim_match *match)
{
    const uint32_t events = raim_match_events(match);
    if (events == feed->events && !feed->is_behind)
        return false;
    release(&feed->queue);
    feed->has_reported = false;
    for (; feed->events != events; feed->events++) {
        const struct raim_wire_event *event = raim_match_event(match, feed->events);
        if (event == NULL) {
            feed->is_behind = true;
            feed->events = events;
            break;
        }
        note_event(feed, event);
    }
    if (feed->is_behind) {
        const uint32_t count = raim_match_players(match, feed->rows, feed->slots);
        feed->is_behind = !compare_players(feed, count);
    }
    return feed->has_reported;
}

struct round_report *arena_feed_begin_round(struct arena_feed *feed)
{
    release(&feed->queue);
    if (mailbox_reserve(&feed->queue) == NULL)
        return NULL;
    release(&feed->rounds);
    return mailbox_reserve(&feed->rounds);
}

void arena_feed_end_round(struct arena_feed *feed)
{
    mailbox_submit(&feed->rounds);
    report(feed, &(struct arena_feed_item){.kind = ARENA_FEED_ROUND_ENDED});
}

void arena_feed_lose_round(struct arena_feed *feed)
{
    lose(feed, ARENA_FEED_ROUND_ENDED);
}

// --- The main thread's side ---

void arena_feed_want(struct arena_feed *feed, bool chat, bool kills)
{
    atomic_store_explicit(&feed->wants_chat, chat, memory_order_relaxed);
    atomic_store_explicit(&feed->wants_kills, kills, memory_order_relaxed);
}

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
        if (present->id == RAIM_NOBODY || present->bot)
            continue;
        present->reason = RAIM_REASON_SHUTDOWN;
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

uint32_t arena_feed_take_lost(struct arena_feed *feed, enum arena_feed_kind kind)
{
    return atomic_exchange_explicit(&feed->lost[kind], 0, memory_order_relaxed);
}
