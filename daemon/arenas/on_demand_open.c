// SPDX-License-Identifier: MIT
// Opens the arenas of the last process again, and keeps them for the next one.
#define _GNU_SOURCE
#include "on_demand_internal.h"

#include "crypto.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_BYTES = 512 };

static const char events_name[] = "arenas.events";

// Takes the request of a record. Returns false with a reason if it is no longer good.
static bool parse_again(const struct on_demand *on_demand, struct arena_on_demand *requested,
                        const char *request, char *error, size_t capacity)
{
    struct text_buffer mistakes = {0};
    const bool is_good = arena_request_parse(&requested->request, on_demand->table->config, request,
                                             strlen(request), &mistakes);
    char *list = text_buffer_take(&mistakes);
    if (!is_good)
        snprintf(error, capacity, "%s", list != NULL ? list : "out of memory");
    free(list);
    if (is_good)
        requested->join_until_ms = on_demand_join_until_ms(requested);
    return is_good;
}

// Opens an arena of the last process again, under its name and on its port. Takes the texts.
static void open_again(void *context, struct arena_record *record)
{
    struct on_demand *on_demand = context;
    char error[ERROR_BYTES] = "there are too many arenas";
    struct arena_on_demand *requested = calloc(1, sizeof *requested);
    if (requested == NULL) {
        free(record->metadata);
        free(record->request);
        free(record->result);
        return; // the record stays for the next process
    }
    requested->record = *record;
    requested->is_resumed = true;
    strcpy(requested->id, record->id);
    if (record->is_draining && record->drain_until_s > 0)
        requested->end_ms = on_demand_due_ms(record->drain_until_s, ARENA_REQUEST_MAX_DRAIN_S);
    const bool is_ending = requested->record.cause[0] != '\0';
    const bool is_good = !is_ending && on_demand->count < ON_DEMAND_MAX &&
                         on_demand_find(on_demand, record->id) == NULL &&
                         arena_request_is_id(record->id) &&
                         parse_again(on_demand, requested, record->request, error, sizeof error);
    free(record->request);
    requested->record.request = requested->request.text;
    if (is_good && record->max_players >= 1 &&
        record->max_players <= requested->request.arena.match.tuning.max_players &&
        on_demand_open_arena(on_demand, requested, error, sizeof error)) {
        on_demand_add(on_demand, requested);
        if (record->max_players != requested->request.arena.match.tuning.max_players)
            on_demand_set_max_players(on_demand, requested, record->max_players);
        return;
    }
    if (!is_ending)
        log_arena_warning(requested->record.name, "arena not reopened id=%s arena=%s: %s",
                          requested->id, requested->record.name, error);
    event_journal_add(
        on_demand->events, "arena_ended",
        on_demand_ended_event(requested, is_ending ? requested->record.cause : "failed"));
    arena_store_remove(on_demand->table->store, requested->record.name);
    on_demand_free_arena(requested);
}

struct check {
    struct config *config;
    bool good;
};

static void check_record(void *context, struct arena_record *record)
{
    struct check *check = context;
    struct arena_request request = {0};
    struct text_buffer mistakes = {0};
    const bool is_known = arena_request_parse(&request, check->config, record->request,
                                              strlen(record->request), &mistakes);
    strcpy(request.arena.name, record->name);
    if (record->cause[0] != '\0') {
        // It is ending: the next process only says so.
    } else if (!is_known) {
        log_arena_warning(record->name, "arena not reopened id=%s arena=%s: %s", record->id,
                          record->name, mistakes.text != NULL ? mistakes.text : "out of memory");
        check->good = false;
    } else {
        check->good = arena_check(check->config, &request.arena) && check->good;
    }
    free(text_buffer_take(&mistakes));
    arena_request_clear(&request);
    free(record->metadata);
    free(record->request);
    free(record->result);
}

bool on_demand_check(struct config *config, struct store *store)
{
    struct check check = {config, true};
    event_journal_close(event_journal_open(store, events_name, on_demand_today_s()));
    arena_store_read(store, &check, check_record);
    return check.good;
}

struct on_demand *on_demand_open(struct loop *loop, struct arena_table *table, char *error,
                                 size_t capacity)
{
    struct on_demand *on_demand = calloc(1, sizeof *on_demand);
    if (on_demand == NULL || !raim_crypto_init()) {
        snprintf(error, capacity, "out of memory");
        free(on_demand);
        return NULL;
    }
    on_demand->table = table;
    on_demand->events = event_journal_open(table->store, events_name, on_demand_today_s());
    on_demand->timer = loop_add_timer(loop, 0, on_demand_run, on_demand);
    on_demand->reported = (struct watcher){.run = on_demand_run, .context = on_demand};
    watchers_add(&table->watchers, &on_demand->reported);
    if (on_demand->events == NULL || on_demand->timer == NULL) {
        snprintf(error, capacity, "out of memory");
        on_demand_close(on_demand);
        return NULL;
    }
    arena_store_read(table->store, on_demand, open_again);
    return on_demand;
}

void on_demand_keep(struct on_demand *on_demand)
{
    if (on_demand != NULL)
        on_demand->keeps = true;
}

void on_demand_close(struct on_demand *on_demand)
{
    if (on_demand == NULL)
        return;
    while (on_demand->count > 0) {
        struct arena_on_demand *requested = on_demand->list[--on_demand->count];
        const bool is_kept = on_demand->keeps && requested->cause == NULL;
        if (is_kept)
            on_demand_free_arena(requested);
        else
            on_demand_note_end(on_demand, requested, "stopped");
    }
    for (uint32_t i = 0; i < ON_DEMAND_REMEMBERED; i++)
        free(on_demand->ended[i].text);
    watchers_remove(&on_demand->table->watchers, &on_demand->reported);
    loop_remove(on_demand->timer);
    event_journal_close(on_demand->events);
    free(on_demand);
}
