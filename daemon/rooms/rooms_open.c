// SPDX-License-Identifier: MIT
// Opens the rooms of the last process again, and keeps them for the next one.
#define _GNU_SOURCE
#include "rooms_internal.h"

#include "crypto.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_BYTES = 512 };

// Takes the request of a record. Returns false with a reason if it is no longer good.
static bool parse_again(const struct rooms *rooms, struct room *room, const char *request,
                        char *error, size_t capacity)
{
    struct text_buffer mistakes = {0};
    const bool is_good = room_request_parse(&room->request, rooms->table->config, request,
                                            strlen(request), &mistakes);
    char *list = text_buffer_take(&mistakes);
    if (!is_good)
        snprintf(error, capacity, "%s", list != NULL ? list : "out of memory");
    free(list);
    if (is_good)
        room->join_until_ms = rooms_join_until_ms(room);
    return is_good;
}

// Opens a room of the last process again, under its name and on its port, or notes that it has
// ended. Takes the texts.
static void open_again(void *context, struct room_record *record)
{
    struct rooms *rooms = context;
    char error[ERROR_BYTES] = "there are too many arenas";
    struct room *room = calloc(1, sizeof *room);
    if (room == NULL) {
        free(record->metadata);
        free(record->request);
        free(record->result);
        return; // the record stays for the next process
    }
    room->record = *record;
    room->is_resumed = true;
    strcpy(room->id, record->id);
    if (record->is_draining && record->drain_until_s > 0)
        room->end_ms = rooms_due_ms(record->drain_until_s, ROOM_REQUEST_MAX_DRAIN_S);
    const bool is_ending = room->record.cause[0] != '\0';
    const bool is_parsed = parse_again(rooms, room, record->request, error, sizeof error);
    const bool is_good = is_parsed && !is_ending && rooms->count < ROOMS_MAX &&
                         rooms_find(rooms, record->id) == NULL && room_request_is_id(record->id);
    free(record->request);
    room->record.request = room->request.text;
    if (is_good && record->places >= 1 &&
        record->places <= room->request.arena.match.tuning.max_players &&
        rooms_open_arena(rooms, room, error, sizeof error)) {
        rooms_add(rooms, room);
        if (record->places != room->request.arena.match.tuning.max_players)
            rooms_change_places(rooms, room, record->places);
        return;
    }
    const char *cause = is_ending ? room->record.cause : "failed";
    if (!is_ending)
        log_arena_warning(room->record.name, "room not opened again id=%s arena=%s: %s", room->id,
                          room->record.name, error);
    if (is_parsed) { // remembered, so that whoever still lists it does not make it again
        rooms_note_end(rooms, room, cause);
        return;
    }
    event_journal_add(rooms->events, "arena_ended", rooms_ended_event(room, cause));
    room_store_remove(rooms->table->store, room->record.name);
    rooms_free_room(room);
}

struct rooms *rooms_open(struct loop *loop, struct arena_table *table, char *error, size_t capacity)
{
    struct rooms *rooms = calloc(1, sizeof *rooms);
    if (rooms == NULL || !raim_crypto_init()) {
        snprintf(error, capacity, "out of memory");
        free(rooms);
        return NULL;
    }
    rooms->table = table;
    rooms->events = event_journal_open(table->store, "rooms.events", rooms_today_s());
    rooms->timer = loop_add_timer(loop, 0, rooms_run, rooms);
    rooms->reported = (struct watcher){.run = rooms_run, .context = rooms};
    watchers_add(&table->watchers, &rooms->reported);
    if (rooms->events == NULL || rooms->timer == NULL) {
        snprintf(error, capacity, "out of memory");
        rooms_close(rooms);
        return NULL;
    }
    room_store_read(table->store, rooms, open_again);
    return rooms;
}

void rooms_keep(struct rooms *rooms)
{
    rooms->keeps = true;
}

void rooms_close(struct rooms *rooms)
{
    if (rooms == NULL)
        return;
    while (rooms->count > 0) {
        struct room *room = rooms->list[--rooms->count];
        const bool is_kept = rooms->keeps && room->cause == NULL;
        if (is_kept)
            rooms_free_room(room);
        else
            rooms_note_end(rooms, room, "stopped");
    }
    for (uint32_t i = 0; i < ROOMS_REMEMBERED; i++)
        free(rooms->ended[i].text);
    watchers_remove(&rooms->table->watchers, &rooms->reported);
    loop_remove(rooms->timer);
    event_journal_close(rooms->events);
    free(rooms);
}
