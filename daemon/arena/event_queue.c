// SPDX-License-Identifier: MIT
// Follows the match's events by their numbers, and compares the match with the players that were
// reported, by slot, where it cannot.
#include "event_queue.h"

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

struct event_queue {
    struct mailbox queue;  // of struct arena_event; the worker sends, as with the other one
    struct mailbox rounds; // of struct round_report
    _Atomic bool wants_chat, wants_kills;
    _Atomic uint32_t lost[ARENA_EVENT_KINDS];

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

struct event_queue *event_queue_create(const struct event_queue_def *def)
{
    struct event_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->slots = def->slots;
    queue->present = calloc(def->slots, sizeof *queue->present);
    queue->rows = calloc(def->slots, sizeof *queue->rows);
    queue->seen = calloc(def->slots, sizeof *queue->seen);
    queue->is_behind = true; // compares at once: the match may be restored
    if (mailbox_create(&queue->rounds, ROUNDS, round_report_bytes(def->slots + def->departed)) &&
        mailbox_create(&queue->queue, capacity_for(def->slots), sizeof(struct arena_event)) &&
        queue->present != NULL && queue->rows != NULL && queue->seen != NULL)
        return queue;
    event_queue_destroy(queue);
    return NULL;
}

void event_queue_destroy(struct event_queue *queue)
{
    if (queue == NULL)
        return;
    mailbox_destroy(&queue->rounds);
    mailbox_destroy(&queue->queue);
    free(queue->present);
    free(queue->rows);
    free(queue->seen);
    free(queue);
}

// --- The worker's side ---

static void release(struct mailbox *mailbox)
{
    while (mailbox_completed(mailbox) != NULL)
        mailbox_release(mailbox);
}

static void lose(struct event_queue *queue, enum arena_event_kind kind)
{
    atomic_fetch_add_explicit(&queue->lost[kind], 1, memory_order_relaxed);
}

// Returns false if the queue is full.
static bool report(struct event_queue *queue, const struct arena_event *item)
{
    struct arena_event *blank = mailbox_reserve(&queue->queue);
    if (blank == NULL)
        return false;
    *blank = *item;
    mailbox_submit(&queue->queue);
    queue->has_reported = true;
    return true;
}

bool event_queue_post(struct event_queue *queue, const struct arena_event *item)
{
    release(&queue->queue);
    const bool has_room = report(queue, item);
    if (!has_room)
        lose(queue, item->kind);
    return has_room;
}

static struct arena_event left_item(const struct present *present)
{
    struct arena_event item = {.kind = ARENA_EVENT_LEFT,
                               .player = present->id,
                               .reason = present->reason,
                               .score = present->score,
                               .deaths = present->deaths};
    memcpy(item.name, present->name, sizeof item.name);
    return item;
}

static bool report_left(struct event_queue *queue, struct present *present)
{
    const struct arena_event item = left_item(present);
    if (!present->bot && !report(queue, &item))
        return false;
    present->id = RAIM_NOBODY;
    return true;
}

static bool report_joined(struct event_queue *queue, struct present *present,
                          const struct present *arrived)
{
    struct arena_event item = {.kind = ARENA_EVENT_JOINED, .player = arrived->id};
    memcpy(item.name, arrived->name, sizeof item.name);
    if (!arrived->bot && !report(queue, &item))
        return false;
    *present = *arrived;
    return true;
}

// Reports the players who have left, then those who have joined. Returns false if the queue became
// full.
static bool compare_players(struct event_queue *queue, uint32_t count)
{
    bool good = true;
    memset(queue->seen, 0, queue->slots * sizeof *queue->seen);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = raim_player_slot(queue->rows[i].id);
        if (slot < queue->slots)
            queue->seen[slot] = queue->present[slot].id == queue->rows[i].id;
    }
    for (uint32_t slot = 0; slot < queue->slots && good; slot++)
        if (queue->present[slot].id != RAIM_NOBODY && !queue->seen[slot])
            good = report_left(queue, &queue->present[slot]);
    for (uint32_t i = 0; i < count && good; i++) {
        const struct raim_match_player *row = &queue->rows[i];
        const uint32_t slot = raim_player_slot(row->id);
        if (slot >= queue->slots)
            continue;
        struct present *present = &queue->present[slot];
        struct present arrived = {
            .id = row->id, .bot = row->bot, .score = row->score, .deaths = row->deaths};
        memcpy(arrived.name, row->name, sizeof arrived.name);
        if (present->id != row->id)
            good = report_joined(queue, present, &arrived);
        else
            *present = arrived;
    }
    return good;
}

// The entry of a player who was reported; NULL: none.
static struct present *find(const struct event_queue *queue, uint32_t id)
{
    const uint32_t slot = raim_player_slot((raim_player_id)id);
    return id != RAIM_NOBODY && slot < queue->slots && queue->present[slot].id == id
               ? &queue->present[slot]
               : NULL;
}

static void note_joined(struct event_queue *queue, const struct raim_roster_entry *entry)
{
    struct present arrived = {.id = (raim_player_id)entry->player,
                              .bot = entry->bot,
                              .score = entry->score,
                              .deaths = entry->deaths};
    const uint32_t slot = raim_player_slot(arrived.id);
    memcpy(arrived.name, entry->name, sizeof arrived.name);
    // While events wait, the next comparison reports it: the slot may hold a player who has left.
    if (slot < queue->slots && !queue->is_behind)
        queue->is_behind = !report_joined(queue, &queue->present[slot], &arrived);
}

static void note_left(struct event_queue *queue, const struct raim_wire_event *event)
{
    struct present *present = find(queue, event->player);
    if (present == NULL)
        return;
    present->reason = event->reason;
    if (!queue->is_behind)
        queue->is_behind = !report_left(queue, present);
}

static void note_kill(struct event_queue *queue, const struct raim_wire_event *event)
{
    struct present *killer = find(queue, event->player), *victim = find(queue, event->victim);
    struct arena_event item = {.kind = ARENA_EVENT_KILL,
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
    if (atomic_load_explicit(&queue->wants_kills, memory_order_relaxed) && !report(queue, &item))
        lose(queue, ARENA_EVENT_KILL);
}

static void note_chat(struct event_queue *queue, const struct raim_wire_event *event)
{
    const struct present *speaker = find(queue, event->player);
    struct arena_event item = {.kind = ARENA_EVENT_CHAT, .player = (raim_player_id)event->player};
    if (!atomic_load_explicit(&queue->wants_chat, memory_order_relaxed))
        return;
    if (speaker != NULL)
        memcpy(item.name, speaker->name, sizeof item.name);
    memcpy(item.text, event->text, sizeof item.text);
    if (!report(queue, &item))
        lose(queue, ARENA_EVENT_CHAT);
}

static void note_event(struct event_queue *queue, const struct raim_wire_event *event)
{
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        note_joined(queue, &event->entry);
        break;
    case RAIM_WIRE_LEFT:
        note_left(queue, event);
        break;
    case RAIM_WIRE_KILL:
        note_kill(queue, event);
        break;
    case RAIM_WIRE_CHAT:
        note_chat(queue, event);
        break;
    default: // a new round changes every score
        queue->is_behind = true;
        break;
    }
}

bool event_queue_run(struct event_queue *queue, const struct raim_match *match)
{
    const uint32_t events = raim_match_events(match);
    if (events == queue->events && !queue->is_behind)
        return false;
    release(&queue->queue);
    queue->has_reported = false;
    for (; queue->events != events; queue->events++) {
        const struct raim_wire_event *event = raim_match_event(match, queue->events);
        if (event == NULL) {
            queue->is_behind = true;
            queue->events = events;
            break;
        }
        note_event(queue, event);
    }
    if (queue->is_behind) {
        const uint32_t count = raim_match_players(match, queue->rows, queue->slots);
        queue->is_behind = !compare_players(queue, count);
    }
    return queue->has_reported;
}

struct round_report *event_queue_begin_round(struct event_queue *queue)
{
    release(&queue->queue);
    if (mailbox_reserve(&queue->queue) == NULL)
        return NULL;
    release(&queue->rounds);
    return mailbox_reserve(&queue->rounds);
}

void event_queue_end_round(struct event_queue *queue)
{
    mailbox_submit(&queue->rounds);
    report(queue, &(struct arena_event){.kind = ARENA_EVENT_ROUND_ENDED});
}

void event_queue_lose_round(struct event_queue *queue)
{
    lose(queue, ARENA_EVENT_ROUND_ENDED);
}

// --- The main thread's side ---

void event_queue_want(struct event_queue *queue, bool chat, bool kills)
{
    atomic_store_explicit(&queue->wants_chat, chat, memory_order_relaxed);
    atomic_store_explicit(&queue->wants_kills, kills, memory_order_relaxed);
}

bool event_queue_take(struct event_queue *queue, struct arena_event *item)
{
    const struct arena_event *oldest = mailbox_peek(&queue->queue);
    if (oldest == NULL)
        return false;
    *item = *oldest;
    mailbox_complete(&queue->queue);
    return true;
}

bool event_queue_take_rest(struct event_queue *queue, struct arena_event *item)
{
    for (; queue->next_rest < queue->slots; queue->next_rest++) {
        struct present *present = &queue->present[queue->next_rest];
        if (present->id == RAIM_NOBODY || present->bot)
            continue;
        present->reason = RAIM_REASON_SHUTDOWN;
        *item = left_item(present);
        present->id = RAIM_NOBODY;
        return true;
    }
    return false;
}

const struct round_report *event_queue_round(struct event_queue *queue)
{
    return mailbox_peek(&queue->rounds);
}

void event_queue_release_round(struct event_queue *queue)
{
    mailbox_complete(&queue->rounds);
}

uint32_t event_queue_take_lost(struct event_queue *queue, enum arena_event_kind kind)
{
    return atomic_exchange_explicit(&queue->lost[kind], 0, memory_order_relaxed);
}
