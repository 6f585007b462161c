// SPDX-License-Identifier: MIT
// The table of arenas: which Agones requests, which run, and which of them its list has.
#define _GNU_SOURCE
#include "agones_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORGET_MS = 60000, // a reason is reported for this long
    SETTLE_MS = 10000, // an SDK server may list a value for this long after it was removed
    LIST_MS = 3000,    // time for a started arena to appear in the list
    REMOVE_MS = 3000,  // time for a removed value to disappear from it
};

static const char id_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

static bool is_id(const char *text, size_t length, size_t capacity)
{
    return length > 0 && length < capacity && strspn(text, id_characters) >= length;
}

static struct agones_arena *find_arena(struct agones *agones, const char *id)
{
    for (int i = 0; i < AGONES_MAX_ARENAS; i++)
        if (agones->arenas[i].state != AGONES_ARENA_FREE && strcmp(agones->arenas[i].id, id) == 0)
            return &agones->arenas[i];
    return NULL;
}

static void free_arena(struct agones_arena *arena)
{
    free(arena->json);
    *arena = (struct agones_arena){0};
}

static struct agones_arena *new_arena(struct agones *agones, const char *id)
{
    for (int i = 0; i < AGONES_MAX_ARENAS; i++) {
        struct agones_arena *arena = &agones->arenas[i];
        if (arena->state != AGONES_ARENA_FREE)
            continue;
        strcpy(arena->id, id);
        strcpy(arena->value, id);
        return arena;
    }
    return NULL;
}

// Counts an arena as ended when its value is not listed any more.
static void settle(struct agones *agones, struct agones_arena *arena)
{
    if (!arena->is_owed || (arena->is_listed && agones->seen.has_arena_list))
        return;
    arena->is_owed = false;
    agones->count_diff--;
}

static void end_arena(struct agones *agones, struct agones_arena *arena, const char *problem,
                      uint64_t now_ms)
{
    free(arena->json);
    arena->json = NULL;
    arena->state = AGONES_ARENA_GONE;
    arena->changed_ms = now_ms;
    snprintf(arena->problem, sizeof arena->problem, "%s", problem);
    arena->is_owed = true;
    settle(agones, arena);
}

int agones_arenas_count(const struct agones *agones)
{
    int count = 0;
    for (int i = 0; i < AGONES_MAX_ARENAS; i++)
        count += agones->arenas[i].state != AGONES_ARENA_FREE &&
                 agones->arenas[i].state != AGONES_ARENA_GONE;
    return count;
}

// Requests an arena that is not known yet. `json` NULL: the template says everything.
static void request_arena(struct agones *agones, const char *id, const char *template_name,
                          const char *json, bool is_listed, uint64_t now_ms)
{
    struct agones_arena *arena = new_arena(agones, id);
    if (arena == NULL)
        return; // it stays listed, and the next update requests it again
    arena->is_listed = is_listed;
    strcpy(arena->template_name, template_name);
    arena->json = json != NULL ? strdup(json) : NULL;
    arena->state = AGONES_ARENA_REQUESTED;
    arena->changed_ms = now_ms;
    if (json != NULL && arena->json == NULL)
        end_arena(agones, arena, "out of memory", now_ms);
    else if (agones->status.phase >= AGONES_DRAINING)
        end_arena(agones, arena, "the server is draining", now_ms);
    else if (agones_arenas_count(agones) > agones->def.max_arenas)
        end_arena(agones, arena, "the server is full", now_ms);
}

// A value of the list is an ID, or a template's name, "/" and an ID.
static void take_value(struct agones *agones, const struct gameserver *gameserver,
                       const char *value, uint64_t now_ms)
{
    char template_name[AGONES_TEMPLATE_BYTES] = "";
    const char *slash = strchr(value, '/');
    const char *id = slash != NULL ? slash + 1 : value;
    const size_t template_length = slash != NULL ? (size_t)(slash - value) : 0;
    if (!is_id(id, strlen(id), AGONES_ARENA_ID_BYTES) ||
        (slash != NULL && !is_id(value, template_length, AGONES_TEMPLATE_BYTES))) {
        agones->status.malformed++;
        return;
    }
    memcpy(template_name, value, template_length);
    struct agones_arena *arena = find_arena(agones, id);
    if (arena == NULL) {
        // The annotation describes this arena, or every arena that it does not name.
        const bool is_described =
            gameserver->arena_id[0] == '\0' || strcmp(gameserver->arena_id, id) == 0;
        request_arena(agones, id, template_name, is_described ? gameserver->arena : NULL, true,
                      now_ms);
        arena = find_arena(agones, id);
    }
    if (arena == NULL)
        return;
    strcpy(arena->value, value);
    arena->is_listed = true;
    if (arena->state == AGONES_ARENA_GONE)
        arena->changed_ms = now_ms; // its value is still to be removed
}

// A request in the annotation alone. It stays when its arena has ended, so that only a new one
// counts: another text, or, where it names no ID, another allocation.
static void take_annotation(struct agones *agones, const struct gameserver *gameserver,
                            bool is_allocated_anew, uint64_t now_ms)
{
    char id[AGONES_ARENA_ID_BYTES];
    const uint64_t digest = gameserver_digest(gameserver->arena) ^
                            gameserver_digest(gameserver->arena_id) * UINT64_C(0x9E3779B97F4A7C15);
    const bool is_new = digest != agones->arena_digest;
    agones->arena_digest = digest;
    if (gameserver->arena_id[0] != '\0') {
        if (!is_new)
            return;
        if (!is_id(gameserver->arena_id, strlen(gameserver->arena_id), sizeof id)) {
            agones->status.malformed++;
            return;
        }
        strcpy(id, gameserver->arena_id);
    } else {
        if (!is_allocated_anew || gameserver->arena_value_count > 0)
            return; // the values of the list name the arenas
        snprintf(id, sizeof id, "allocation-%016llx",
                 (unsigned long long)gameserver_digest(gameserver->last_allocated));
    }
    if (find_arena(agones, id) == NULL)
        request_arena(agones, id, "", gameserver->arena, false, now_ms);
}

void agones_arenas_update(struct agones *agones, const struct gameserver *gameserver,
                          uint64_t now_ms)
{
    bool is_allocated_anew = strcmp(gameserver->last_allocated, agones->last_allocated) != 0;
    strcpy(agones->last_allocated, gameserver->last_allocated);
    if (is_allocated_anew && now_ms < agones->own_allocation_ms) {
        is_allocated_anew = false;
        agones->own_allocation_ms = 0;
    }
    for (int i = 0; i < AGONES_MAX_ARENAS; i++)
        agones->arenas[i].is_listed = false;
    if (agones->def.max_arenas == 0)
        return;
    for (int i = 0; i < gameserver->arena_value_count; i++)
        take_value(agones, gameserver, gameserver->arena_values[i], now_ms);
    if (gameserver->arena != NULL)
        take_annotation(agones, gameserver, is_allocated_anew, now_ms);
    for (int i = 0; i < AGONES_MAX_ARENAS; i++)
        settle(agones, &agones->arenas[i]);
    agones->status.arenas = agones_arenas_count(agones);
}

bool agones_arena_runs(const struct agones *agones, const char *id)
{
    for (int i = 0; i < AGONES_MAX_ARENAS; i++)
        if (agones->arenas[i].state == AGONES_ARENA_RUNNING &&
            strcmp(agones->arenas[i].id, id) == 0)
            return true;
    return false;
}

bool agones_arena_started(struct agones *agones, const char *id, uint16_t port, const char *name,
                          uint64_t now_ms)
{
    struct agones_arena *arena = find_arena(agones, id);
    if (arena == NULL || arena->state == AGONES_ARENA_GONE) {
        // Made through the control API, so that no allocation has counted it.
        if (!is_id(id, strlen(id), AGONES_ARENA_ID_BYTES))
            return false;
        if (arena == NULL)
            arena = new_arena(agones, id);
        if (arena == NULL)
            return false;
        agones->count_diff += agones->is_known && !arena->is_owed;
        arena->is_owed = false;
    }
    if (arena->state != AGONES_ARENA_RUNNING)
        arena->changed_ms = now_ms;
    free(arena->json);
    arena->json = NULL;
    arena->problem[0] = '\0';
    arena->state = AGONES_ARENA_RUNNING;
    arena->port = port;
    snprintf(arena->name, sizeof arena->name, "%s", name);
    agones->status.arenas = agones_arenas_count(agones);
    return true;
}

void agones_arena_failed(struct agones *agones, const char *id, const char *problem,
                         uint64_t now_ms)
{
    struct agones_arena *arena = find_arena(agones, id);
    if (arena != NULL && arena->state != AGONES_ARENA_GONE)
        end_arena(agones, arena, problem, now_ms);
    agones->status.arenas = agones_arenas_count(agones);
}

void agones_arena_ended(struct agones *agones, const char *id, uint64_t now_ms)
{
    agones_arena_failed(agones, id, "", now_ms);
}

struct agones_arena *agones_arenas_removable(struct agones *agones, uint64_t now_ms)
{
    for (int i = 0; i < AGONES_MAX_ARENAS; i++) {
        struct agones_arena *arena = &agones->arenas[i];
        if (arena->state == AGONES_ARENA_GONE && arena->is_listed &&
            (arena->removed_ms == 0 || now_ms - arena->removed_ms >= REMOVE_MS))
            return arena;
    }
    return NULL;
}

struct agones_arena *agones_arenas_addable(struct agones *agones, uint64_t now_ms)
{
    for (int i = 0; i < AGONES_MAX_ARENAS; i++) {
        struct agones_arena *arena = &agones->arenas[i];
        if (arena->state == AGONES_ARENA_RUNNING && !arena->is_listed &&
            now_ms - arena->changed_ms >= LIST_MS)
            return arena;
    }
    return NULL;
}

void agones_arenas_forget(struct agones *agones, uint64_t now_ms)
{
    for (int i = 0; i < AGONES_MAX_ARENAS; i++) {
        struct agones_arena *arena = &agones->arenas[i];
        const uint64_t stays_ms = arena->problem[0] != '\0' ? FORGET_MS : SETTLE_MS;
        // Only a GameServer that was seen late enough shows that the value is gone for good.
        if (arena->state == AGONES_ARENA_GONE && !arena->is_listed &&
            agones->seen_ms >= arena->changed_ms + SETTLE_MS &&
            now_ms >= arena->changed_ms + stays_ms)
            free_arena(arena);
    }
}

// How much is missing in the counter. It should have the arenas that run, and those that are gone
// but still listed, except differences that are still to be sent. A counter that falls before the
// list does makes a full server look free, and the list would cut off the value of the next
// allocation.
static int64_t missing_in(const struct agones *agones, int64_t counter)
{
    int64_t count = agones_arenas_count(agones) - agones->count_diff;
    for (int i = 0; i < AGONES_MAX_ARENAS; i++)
        count += agones->arenas[i].is_owed;
    return count - counter;
}

void agones_arenas_audit(struct agones *agones)
{
    const int64_t missing = missing_in(agones, agones->seen.arenas);
    if (agones->audited == agones->seen.arenas) {
        const bool is_confirmed = missing == agones->missing;
        agones->count_diff += is_confirmed ? missing : 0;
        agones->missing = is_confirmed ? 0 : missing;
    }
    agones->audited = -1;
}

uint64_t agones_arenas_digest(const struct agones *agones)
{
    uint64_t digest = 0;
    for (int i = 0; i < AGONES_MAX_ARENAS; i++) {
        const struct agones_arena *arena = &agones->arenas[i];
        if (arena->state == AGONES_ARENA_RUNNING)
            digest += gameserver_digest(arena->id) ^ arena->port;
        else if (arena->state == AGONES_ARENA_GONE && arena->problem[0] != '\0')
            digest += gameserver_digest(arena->id) ^ gameserver_digest(arena->problem);
    }
    return digest;
}

void agones_arenas_clear(struct agones *agones)
{
    for (int i = 0; i < AGONES_MAX_ARENAS; i++)
        free_arena(&agones->arenas[i]);
}

bool agones_next_decision(struct agones *agones, struct agones_decision *decision)
{
    *decision = (struct agones_decision){0};
    for (int i = 0; i < AGONES_MAX_ARENAS; i++) {
        struct agones_arena *arena = &agones->arenas[i];
        if (arena->state != AGONES_ARENA_REQUESTED)
            continue;
        arena->state = AGONES_ARENA_STARTING;
        decision->kind = AGONES_START_ARENA;
        strcpy(decision->id, arena->id);
        strcpy(decision->template_name, arena->template_name);
        decision->json = arena->json;
        return true;
    }
    if (agones->status.phase == AGONES_DRAINING && !agones->drain_is_announced) {
        agones->drain_is_announced = true;
        decision->kind = AGONES_BEGIN_DRAIN;
        decision->drain_ms = agones->reason == AGONES_DRAIN_COMMAND ? 0 : agones->def.drain_ms;
        return true;
    }
    if (agones->status.phase == AGONES_ENDED && !agones->exit_is_announced) {
        agones->exit_is_announced = true;
        decision->kind = AGONES_EXIT;
        return true;
    }
    return false;
}
