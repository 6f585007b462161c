// SPDX-License-Identifier: MIT
// The table of rooms: which Agones requests, which run, and which of them its list has.
#define _GNU_SOURCE
#include "agones_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORGET_MS = 60000, // a reason is reported for this long
    SETTLE_MS = 10000, // an SDK server may list a value for this long after it was removed
    LIST_MS = 3000,    // time for a started room to appear in the list
    REMOVE_MS = 3000,  // time for a removed value to disappear from it
};

static const char id_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

static bool is_id(const char *text, size_t length, size_t capacity)
{
    return length > 0 && length < capacity && strspn(text, id_characters) >= length;
}

static struct agones_room *find_room(struct agones *agones, const char *id)
{
    for (int i = 0; i < AGONES_MAX_ROOMS; i++)
        if (agones->rooms[i].state != AGONES_ROOM_FREE && strcmp(agones->rooms[i].id, id) == 0)
            return &agones->rooms[i];
    return NULL;
}

static void free_room(struct agones_room *room)
{
    free(room->json);
    *room = (struct agones_room){0};
}

static struct agones_room *new_room(struct agones *agones, const char *id)
{
    for (int i = 0; i < AGONES_MAX_ROOMS; i++) {
        struct agones_room *room = &agones->rooms[i];
        if (room->state != AGONES_ROOM_FREE)
            continue;
        strcpy(room->id, id);
        strcpy(room->value, id);
        return room;
    }
    return NULL;
}

// Counts a room as ended when its value is not listed any more.
static void settle(struct agones *agones, struct agones_room *room)
{
    if (!room->is_owed || (room->is_listed && agones->seen.has_room_list))
        return;
    room->is_owed = false;
    agones->count_diff--;
}

static void end_room(struct agones *agones, struct agones_room *room, const char *problem,
                     uint64_t now_ms)
{
    free(room->json);
    room->json = NULL;
    room->state = AGONES_ROOM_GONE;
    room->changed_ms = now_ms;
    snprintf(room->problem, sizeof room->problem, "%s", problem);
    room->is_owed = true;
    settle(agones, room);
}

int agones_rooms_count(const struct agones *agones)
{
    int count = 0;
    for (int i = 0; i < AGONES_MAX_ROOMS; i++)
        count += agones->rooms[i].state != AGONES_ROOM_FREE &&
                 agones->rooms[i].state != AGONES_ROOM_GONE;
    return count;
}

// Requests a room that is not known yet. `json` NULL: the template says everything.
static void request_room(struct agones *agones, const char *id, const char *template_name,
                         const char *json, bool is_listed, uint64_t now_ms)
{
    struct agones_room *room = new_room(agones, id);
    if (room == NULL)
        return; // it stays listed, and the next update requests it again
    room->is_listed = is_listed;
    strcpy(room->template_name, template_name);
    room->json = json != NULL ? strdup(json) : NULL;
    room->state = AGONES_ROOM_REQUESTED;
    room->changed_ms = now_ms;
    if (json != NULL && room->json == NULL)
        end_room(agones, room, "out of memory", now_ms);
    else if (agones->status.phase >= AGONES_DRAINING)
        end_room(agones, room, "the server is draining", now_ms);
    else if (agones_rooms_count(agones) > agones->def.max_rooms)
        end_room(agones, room, "the server is full", now_ms);
}

// A value of the list is an ID, or a template's name, "/" and an ID.
static void take_value(struct agones *agones, const struct gameserver *gameserver,
                       const char *value, uint64_t now_ms)
{
    char template_name[AGONES_TEMPLATE_BYTES] = "";
    const char *slash = strchr(value, '/');
    const char *id = slash != NULL ? slash + 1 : value;
    const size_t template_length = slash != NULL ? (size_t)(slash - value) : 0;
    if (!is_id(id, strlen(id), AGONES_ROOM_ID_BYTES) ||
        (slash != NULL && !is_id(value, template_length, AGONES_TEMPLATE_BYTES))) {
        agones->status.malformed++;
        return;
    }
    memcpy(template_name, value, template_length);
    struct agones_room *room = find_room(agones, id);
    if (room == NULL) {
        // The annotation describes this room, or every room that it does not name.
        const bool is_described =
            gameserver->room_id[0] == '\0' || strcmp(gameserver->room_id, id) == 0;
        request_room(agones, id, template_name, is_described ? gameserver->room : NULL, true,
                     now_ms);
        room = find_room(agones, id);
    }
    if (room == NULL)
        return;
    strcpy(room->value, value);
    room->is_listed = true;
    if (room->state == AGONES_ROOM_GONE)
        room->changed_ms = now_ms; // its value is still to be removed
}

// A request in the annotation alone. It stays when its room has ended, so that only a new one
// counts: another text, or, where it names no ID, another allocation.
static void take_annotation(struct agones *agones, const struct gameserver *gameserver,
                            bool is_allocated_anew, uint64_t now_ms)
{
    char id[AGONES_ROOM_ID_BYTES];
    const uint64_t digest = gameserver_digest(gameserver->room) ^
                            gameserver_digest(gameserver->room_id) * UINT64_C(0x9E3779B97F4A7C15);
    const bool is_new = digest != agones->room_digest;
    agones->room_digest = digest;
    if (gameserver->room_id[0] != '\0') {
        if (!is_new)
            return;
        if (!is_id(gameserver->room_id, strlen(gameserver->room_id), sizeof id)) {
            agones->status.malformed++;
            return;
        }
        strcpy(id, gameserver->room_id);
    } else {
        if (!is_allocated_anew || gameserver->room_value_count > 0)
            return; // the values of the list name the rooms
        snprintf(id, sizeof id, "allocation-%016llx",
                 (unsigned long long)gameserver_digest(gameserver->last_allocated));
    }
    if (find_room(agones, id) == NULL)
        request_room(agones, id, "", gameserver->room, false, now_ms);
}

void agones_rooms_update(struct agones *agones, const struct gameserver *gameserver,
                         uint64_t now_ms)
{
    bool is_allocated_anew = strcmp(gameserver->last_allocated, agones->last_allocated) != 0;
    strcpy(agones->last_allocated, gameserver->last_allocated);
    if (is_allocated_anew && now_ms < agones->own_allocation_ms) {
        is_allocated_anew = false;
        agones->own_allocation_ms = 0;
    }
    for (int i = 0; i < AGONES_MAX_ROOMS; i++)
        agones->rooms[i].is_listed = false;
    if (agones->def.max_rooms == 0)
        return;
    for (int i = 0; i < gameserver->room_value_count; i++)
        take_value(agones, gameserver, gameserver->room_values[i], now_ms);
    if (gameserver->room != NULL)
        take_annotation(agones, gameserver, is_allocated_anew, now_ms);
    for (int i = 0; i < AGONES_MAX_ROOMS; i++)
        settle(agones, &agones->rooms[i]);
    agones->status.rooms = agones_rooms_count(agones);
}

bool agones_room_runs(const struct agones *agones, const char *id)
{
    for (int i = 0; i < AGONES_MAX_ROOMS; i++)
        if (agones->rooms[i].state == AGONES_ROOM_RUNNING && strcmp(agones->rooms[i].id, id) == 0)
            return true;
    return false;
}

bool agones_room_started(struct agones *agones, const char *id, uint16_t port, const char *name,
                         uint64_t now_ms)
{
    struct agones_room *room = find_room(agones, id);
    if (room == NULL || room->state == AGONES_ROOM_GONE) {
        // Made through the control API, so that no allocation has counted it.
        if (!is_id(id, strlen(id), AGONES_ROOM_ID_BYTES))
            return false;
        if (room == NULL)
            room = new_room(agones, id);
        if (room == NULL)
            return false;
        agones->count_diff += agones->is_known && !room->is_owed;
        room->is_owed = false;
    }
    if (room->state != AGONES_ROOM_RUNNING)
        room->changed_ms = now_ms;
    free(room->json);
    room->json = NULL;
    room->problem[0] = '\0';
    room->state = AGONES_ROOM_RUNNING;
    room->port = port;
    snprintf(room->name, sizeof room->name, "%s", name);
    agones->status.rooms = agones_rooms_count(agones);
    return true;
}

void agones_room_failed(struct agones *agones, const char *id, const char *problem, uint64_t now_ms)
{
    struct agones_room *room = find_room(agones, id);
    if (room != NULL && room->state != AGONES_ROOM_GONE)
        end_room(agones, room, problem, now_ms);
    agones->status.rooms = agones_rooms_count(agones);
}

void agones_room_ended(struct agones *agones, const char *id, uint64_t now_ms)
{
    agones_room_failed(agones, id, "", now_ms);
}

struct agones_room *agones_rooms_removable(struct agones *agones, uint64_t now_ms)
{
    for (int i = 0; i < AGONES_MAX_ROOMS; i++) {
        struct agones_room *room = &agones->rooms[i];
        if (room->state == AGONES_ROOM_GONE && room->is_listed &&
            (room->removed_ms == 0 || now_ms - room->removed_ms >= REMOVE_MS))
            return room;
    }
    return NULL;
}

struct agones_room *agones_rooms_addable(struct agones *agones, uint64_t now_ms)
{
    for (int i = 0; i < AGONES_MAX_ROOMS; i++) {
        struct agones_room *room = &agones->rooms[i];
        if (room->state == AGONES_ROOM_RUNNING && !room->is_listed &&
            now_ms - room->changed_ms >= LIST_MS)
            return room;
    }
    return NULL;
}

void agones_rooms_forget(struct agones *agones, uint64_t now_ms)
{
    for (int i = 0; i < AGONES_MAX_ROOMS; i++) {
        struct agones_room *room = &agones->rooms[i];
        const uint64_t stays_ms = room->problem[0] != '\0' ? FORGET_MS : SETTLE_MS;
        // Only a GameServer that was seen late enough shows that the value is gone for good.
        if (room->state == AGONES_ROOM_GONE && !room->is_listed &&
            agones->seen_ms >= room->changed_ms + SETTLE_MS &&
            now_ms >= room->changed_ms + stays_ms)
            free_room(room);
    }
}

// How much is missing in the counter. It should have the rooms that run, and those that are gone
// but still listed, except differences that are still to be sent. A counter that falls before the
// list does makes a full server look free, and the list would cut off the value of the next
// allocation.
static int64_t missing_in(const struct agones *agones, int64_t counter)
{
    int64_t count = agones_rooms_count(agones) - agones->count_diff;
    for (int i = 0; i < AGONES_MAX_ROOMS; i++)
        count += agones->rooms[i].is_owed;
    return count - counter;
}

void agones_rooms_audit(struct agones *agones)
{
    const int64_t missing = missing_in(agones, agones->seen.rooms);
    if (agones->audited == agones->seen.rooms) {
        const bool is_confirmed = missing == agones->missing;
        agones->count_diff += is_confirmed ? missing : 0;
        agones->missing = is_confirmed ? 0 : missing;
    }
    agones->audited = -1;
}

uint64_t agones_rooms_digest(const struct agones *agones)
{
    uint64_t digest = 0;
    for (int i = 0; i < AGONES_MAX_ROOMS; i++) {
        const struct agones_room *room = &agones->rooms[i];
        if (room->state == AGONES_ROOM_RUNNING)
            digest += gameserver_digest(room->id) ^ room->port;
        else if (room->state == AGONES_ROOM_GONE && room->problem[0] != '\0')
            digest += gameserver_digest(room->id) ^ gameserver_digest(room->problem);
    }
    return digest;
}

void agones_rooms_clear(struct agones *agones)
{
    for (int i = 0; i < AGONES_MAX_ROOMS; i++)
        free_room(&agones->rooms[i]);
}

bool agones_next_decision(struct agones *agones, struct agones_decision *decision)
{
    *decision = (struct agones_decision){0};
    for (int i = 0; i < AGONES_MAX_ROOMS; i++) {
        struct agones_room *room = &agones->rooms[i];
        if (room->state != AGONES_ROOM_REQUESTED)
            continue;
        room->state = AGONES_ROOM_STARTING;
        decision->kind = AGONES_START_ROOM;
        strcpy(decision->id, room->id);
        strcpy(decision->template_name, room->template_name);
        decision->json = room->json;
        return true;
    }
    if (agones->status.phase == AGONES_DRAINING && !agones->drain_is_announced) {
        agones->drain_is_announced = true;
        decision->kind = AGONES_BEGIN_DRAIN;
        decision->drain_ms = agones->reason == AGONES_DRAIN_ORDER ? 0 : agones->def.drain_ms;
        return true;
    }
    if (agones->status.phase == AGONES_ENDED && !agones->exit_is_announced) {
        agones->exit_is_announced = true;
        decision->kind = AGONES_EXIT;
        return true;
    }
    return false;
}
