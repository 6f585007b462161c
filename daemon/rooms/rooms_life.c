// SPDX-License-Identifier: MIT
// Runs the rooms: notes what their arenas report, and ends them when they are due.
#define _GNU_SOURCE
#include "rooms_internal.h"

#include "log.h"
#include "loop.h"
#include "message.h"
#include "monotonic.h"
#include "store.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOTICE_MS = 100,    // between the order to disconnect players and the end of their arena
    RETRY_MS = 10,      // after a worker's or arena's mailbox was full
    ROUND_LEAD_MS = 50, // before the break after the last round is over
};

// --- Reports ---

static void note_joined(struct rooms *rooms, struct room *room, const struct arena_feed_item *item)
{
    room->present++;
    event_journal_add(rooms->events, "player_joined", rooms_player_event(room, item));
    if (room->record.was_joined)
        return;
    room->record.was_joined = true;
    rooms_store(rooms, room);
}

static void note_left(struct rooms *rooms, struct room *room, const struct arena_feed_item *item)
{
    room->present -= room->present > 0;
    event_journal_add(rooms->events, "player_left", rooms_player_event(room, item));
}

static bool has_client(const struct round_report *report)
{
    for (uint32_t i = 0; i < report->player_count; i++)
        if (!report->players[i].bot)
            return true;
    return false;
}

// A round that was cut short or played by bots alone has no result for the matchmaker.
static void note_round(struct rooms *rooms, struct room *room, const struct round_report *report)
{
    const bool is_whole = report->ended == ROUND_END_CLOCK || report->ended == ROUND_END_SCORE;
    if (!is_whole || !has_client(report))
        return;
    char *result = rooms_result(report);
    room->rounds++;
    room->round_ended_ms = monotonic_ms();
    event_journal_add(rooms->events, "round_ended", rooms_round_event(room, result));
    if (result == NULL)
        return;
    free(room->record.result);
    room->record.result = result;
    rooms_store(rooms, room); // for the next process, should this one die before it reports the end
}

static void make_ready(struct rooms *rooms, struct room *room)
{
    room->state = ROOM_READY;
    event_journal_add(rooms->events, "arena_ready", rooms_ready_event(rooms, room));
    if (room->record.is_draining) // since the last process
        rooms_begin_drain(rooms, room, "", room->end_ms);
}

static struct room *find_room(const struct rooms *rooms, const struct arena *arena)
{
    for (int i = 0; i < rooms->count; i++)
        if (rooms->list[i]->arena == arena)
            return rooms->list[i];
    return NULL;
}

void rooms_note(struct rooms *rooms, struct arena *arena, const struct arena_feed_item *item,
                const struct round_report *round)
{
    struct room *room = find_room(rooms, arena);
    if (room == NULL)
        return;
    if (room->state == ROOM_STARTING) // what it has reported follows the event that it is ready
        make_ready(rooms, room);
    if (item->kind == ARENA_FEED_JOINED)
        note_joined(rooms, room, item);
    else if (item->kind == ARENA_FEED_LEFT &&
             (item->reason != RAIM_REASON_RESTART || room->cause != NULL))
        note_left(rooms, room, item);
    else if (item->kind == ARENA_FEED_ROUND_ENDED)
        note_round(rooms, room, round);
}

// --- The end ---

// `text` may be that of the order before.
static void give_order(struct room *room, bool disconnects, const char *text)
{
    struct command order = {.kind = COMMAND_END, .on = disconnects};
    snprintf(order.text, sizeof order.text, "%s", text);
    room->order = order;
    room->has_order = true;
}

void rooms_begin_end(struct rooms *rooms, struct room *room, const char *cause, const char *reason,
                     uint64_t now_ms)
{
    room->state = ROOM_DRAINING;
    room->cause = cause;
    room->end_ms = now_ms;
    room->ends_empty = false;
    if (reason[0] != '\0' && room->present > 0) {
        give_order(room, true, reason);
        room->end_ms += NOTICE_MS;
    }
    // If the process dies now, the next one does not open it again, but reports its end.
    snprintf(room->record.cause, sizeof room->record.cause, "%s", cause);
    rooms_store(rooms, room);
}

void rooms_begin_drain(struct rooms *rooms, struct room *room, const char *reason, uint64_t end_ms)
{
    room->state = ROOM_DRAINING;
    room->end_ms = end_ms;
    room->ends_empty = true;
    room->record.is_draining = true;
    give_order(room, false, reason);
    rooms_store(rooms, room);
}

static void post_order(struct room *room)
{
    struct command *blank = mailbox_reserve(arena_mailbox(room->arena));
    if (blank == NULL)
        return; // tried again
    *blank = room->order;
    mailbox_submit(arena_mailbox(room->arena));
    room->has_order = false;
}

static void remove_arena(struct rooms *rooms, struct room *room, uint64_t now_ms)
{
    const int index = arena_list_index(&rooms->table->running, room->arena);
    room->is_removed = index < 0 || arena_table_remove(rooms->table, index);
    if (!room->is_removed)
        room->end_ms = now_ms + RETRY_MS;
}

// The cause to end a room that is not ending yet; NULL: none.
static const char *find_cause(const struct room *room, uint64_t now_ms)
{
    const struct room_request *request = &room->request;
    const bool is_joined = room->record.was_joined;
    if (request->ends == ROOM_ENDS_NEVER)
        return NULL;
    if (!is_joined)
        return now_ms >= room->join_until_ms ? "nobody_joined" : NULL;
    return room->present == 0 ? "empty" : NULL;
}

// Ends a room with its round: when the break after it is nearly over.
static void plan_round_end(struct rooms *rooms, struct room *room)
{
    const uint64_t break_ms = (uint64_t)(room->request.arena.match.tuning.break_s * 1000);
    rooms_begin_end(rooms, room, "round", "", room->round_ended_ms);
    give_order(room, false, ""); // admits nobody
    room->end_ms += break_ms > ROUND_LEAD_MS ? break_ms - ROUND_LEAD_MS : 0;
}

static void run_room(struct rooms *rooms, struct room *room, uint64_t now_ms)
{
    const bool was_ready = room->state != ROOM_STARTING;
    if (!room->is_removed && arena_is_released(room->arena)) { // its worker could not run it
        rooms_begin_end(rooms, room, "failed", "", now_ms);
        remove_arena(rooms, room, now_ms);
        return;
    }
    if (room->state == ROOM_STARTING && arena_ticks(room->arena) > 0)
        make_ready(rooms, room);
    if (room->state == ROOM_STARTING || room->is_removed)
        return;
    // After its first tick, so that the players of a restored match have been reported.
    if (was_ready && room->state == ROOM_READY) {
        const char *cause = find_cause(room, now_ms);
        if (cause != NULL)
            rooms_begin_end(rooms, room, cause, "", now_ms);
        else if (room->request.ends == ROOM_ENDS_ROUND && room->rounds > 0)
            plan_round_end(rooms, room);
    }
    if (room->has_order)
        post_order(room);
    if (room->state != ROOM_DRAINING || room->has_order)
        return;
    if (room->ends_empty && room->present == 0 && was_ready)
        rooms_begin_end(rooms, room, "deleted", "", now_ms);
    else if (room->ends_empty && room->end_ms != 0 && now_ms >= room->end_ms)
        rooms_begin_end(rooms, room, "deleted", room->order.text, now_ms);
    const bool is_deserted = !room->ends_empty && room->present == 0;
    if (!room->has_order && !room->ends_empty && (is_deserted || now_ms >= room->end_ms))
        remove_arena(rooms, room, now_ms);
}

// When a room is due.
static uint64_t due_ms(const struct room *room)
{
    if (room->is_removed)
        return LOOP_NEVER;
    const bool is_deserted =
        room->state == ROOM_READY && room->record.was_joined && room->present == 0;
    if (room->has_order || (is_deserted && room->request.ends != ROOM_ENDS_NEVER))
        return monotonic_ms() + RETRY_MS;
    if (room->state == ROOM_DRAINING)
        return room->end_ms > 0 ? room->end_ms : LOOP_NEVER;
    const bool can_expire = room->request.ends != ROOM_ENDS_NEVER && !room->record.was_joined;
    return room->state == ROOM_READY && can_expire ? room->join_until_ms : LOOP_NEVER;
}

void rooms_run(void *context)
{
    struct rooms *rooms = context;
    const uint64_t now_ms = monotonic_ms();
    uint64_t first_ms = LOOP_NEVER;
    for (int i = 0; i < rooms->count; i++)
        run_room(rooms, rooms->list[i], now_ms);
    for (int i = 0; i < rooms->count; i++)
        first_ms = due_ms(rooms->list[i]) < first_ms ? due_ms(rooms->list[i]) : first_ms;
    loop_set_timer(rooms->timer, first_ms);
}

static void remember(struct rooms *rooms, const struct room *room)
{
    struct text_buffer out = {0};
    struct ended_room *ended = &rooms->ended[rooms->next_ended++ % ROOMS_REMEMBERED];
    free(ended->text);
    rooms_print_room(&out, rooms, room, "ended");
    text_buffer_print(&out, "\n");
    ended->text = text_buffer_take(&out);
    ended->request_hash = rooms_hash_of(room->request.text);
    memcpy(ended->id, room->id, sizeof ended->id);
}

void rooms_note_end(struct rooms *rooms, struct room *room, const char *cause)
{
    if (room->cause == NULL)
        room->cause = cause;
    event_journal_add(rooms->events, "arena_ended", rooms_ended_event(room, room->cause));
    if (store_has_directory(rooms->table->store))
        room_store_remove(rooms->table->store, room->record.name);
    log_arena_info(room->record.name, "room ended id=%s arena=%s cause=%s rounds=%u", room->id,
                   room->record.name, room->cause, room->rounds);
    rooms->counts.ended++;
    remember(rooms, room);
    if (rooms->observer.ended != NULL)
        rooms->observer.ended(rooms->observer.context, room->id, room->cause);
    rooms_free_room(room);
}

void rooms_forget(struct rooms *rooms, struct arena *arena)
{
    struct room *room = find_room(rooms, arena);
    if (room == NULL)
        return;
    int index = 0;
    while (rooms->list[index] != room)
        index++;
    rooms->list[index] = rooms->list[--rooms->count];
    rooms_note_end(rooms, room, "deleted"); // unless it was ending: by the operator
}
