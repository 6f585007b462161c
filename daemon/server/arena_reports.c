// SPDX-License-Identifier: MIT
// One switch over the kinds of items.
#define _GNU_SOURCE
#include "arena_reports.h"

#include "admin_logins.h"
#include "arena_feed.h"
#include "control.h"
#include "http.h"
#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "message.h"
#include "monotonic.h"
#include "process_usage.h"
#include "result_json.h"
#include "results.h"
#include "rooms.h"
#include "server_events.h"
#include "vote_report.h"

#include <stdlib.h>

enum { TRIM_EVERY_MS = 1000 }; // of the heap: arenas may come and go all the time

// --- Fields of events ---

static void print_player(struct text_buffer *out, const char *key, raim_player_id id,
                         const char *name)
{
    text_buffer_print(out, "\"%s\":{\"id\":%u,\"name\":", key, id);
    json_text_quote(out, name);
    text_buffer_print(out, "}");
}

static char *player_fields(const struct arena_feed_item *item)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{");
    print_player(&out, "player", item->player, item->name);
    if (item->kind == ARENA_FEED_LEFT)
        text_buffer_print(&out, ",\"reason\":\"%s\",\"score\":%u,\"deaths\":%u",
                          raim_reason_name(item->reason), item->score, item->deaths);
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

static char *chat_fields(const struct arena_feed_item *item)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{");
    if (item->player == RAIM_NOBODY)
        text_buffer_print(&out, "\"player\":null");
    else
        print_player(&out, "player", item->player, item->name);
    text_buffer_print(&out, ",\"text\":");
    json_text_quote(&out, item->text);
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

static char *kill_fields(const struct arena_feed_item *item)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{");
    print_player(&out, "player", item->player, item->name);
    text_buffer_print(&out, ",");
    print_player(&out, "victim", item->other, item->other_name);
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

// --- Items ---

static void note_round(const struct arena_reports *reports, const struct round_report *report)
{
    struct server_events *events = reports->table->events;
    results_add(reports->table->results, report);
    if (result_json_has_players(report) && server_events_wants(events, EVENT_ROUND_ENDED))
        server_events_add(events, "round_ended", NULL, result_json_write(report));
}

static void begin_map(const struct arena_reports *reports, const struct arena *arena,
                      const char *map)
{
    const struct arena_list *running = &reports->table->running;
    const char *name = arena_config(arena)->name;
    const int index = arena_list_find(running, name);
    if (index >= 0 && !arena_slot_begin_map(reports->table->slots[index], map))
        log_arena_warning(name, "vote without map arena=%s: the rotation has no map \"%s\"", name,
                          map);
}

static void note_item(const struct arena_reports *reports, struct arena *arena,
                      const struct arena_feed_item *item)
{
    struct arena_feed *feed = arena_get_feed(arena);
    struct server_events *events = reports->table->events;
    const char *name = arena_config(arena)->name;
    const struct round_report *round =
        item->kind == ARENA_FEED_ROUND_ENDED ? arena_feed_round(feed) : NULL;
    if (arena_config(arena)->is_room && reports->rooms != NULL)
        rooms_note(reports->rooms, arena, item, round);
    switch (item->kind) {
    case ARENA_FEED_JOINED:
        server_events_add(events, "join", name, player_fields(item));
        break;
    case ARENA_FEED_LEFT:
        server_events_add(events, "leave", name, player_fields(item));
        break;
    case ARENA_FEED_ROUND_ENDED:
        note_round(reports, round);
        arena_feed_release_round(feed);
        break;
    case ARENA_FEED_CHAT:
        server_events_add(events, "chat", name, chat_fields(item));
        break;
    case ARENA_FEED_KILL:
        server_events_add(events, "kill", name, kill_fields(item));
        break;
    case ARENA_FEED_LINE:
        if (reports->logins != NULL)
            admin_logins_take_line(reports->logins, arena, item);
        break;
    case ARENA_FEED_VOTE:
        vote_report_note(reports, arena, item);
        break;
    case ARENA_FEED_MAP_WANTED:
        begin_map(reports, arena, item->text);
        break;
    case ARENA_FEED_KINDS:
        break;
    }
}

// Reads what an arena has reported.
static void read_arena(const struct arena_reports *reports, struct arena *arena)
{
    struct arena_feed *feed = arena_get_feed(arena);
    struct arena_feed_item item;
    if (feed == NULL)
        return;
    arena_feed_want(feed, server_events_wants(reports->table->events, EVENT_CHAT),
                    server_events_wants(reports->table->events, EVENT_KILL));
    while (arena_feed_take(feed, &item))
        note_item(reports, arena, &item);
    results_lose(reports->table->results, arena_feed_take_lost(feed, ARENA_FEED_ROUND_ENDED));
}

// Reads what an arena has reported that its worker has released: whoever is there leaves.
static void read_rest(const struct arena_reports *reports, struct arena *arena)
{
    struct arena_feed_item item;
    read_arena(reports, arena);
    while (arena_get_feed(arena) != NULL && arena_feed_take_rest(arena_get_feed(arena), &item)) {
        if (reports->is_restarting)
            item.reason = RAIM_REASON_RESTART;
        note_item(reports, arena, &item);
    }
}

// Frees an arena that its worker has released.
static void close_arena(struct arena_reports *reports, struct arena_slot *gone)
{
    control_forget(reports->control, gone->arena);
    read_rest(reports, gone->arena);
    if (reports->rooms != NULL)
        rooms_forget(reports->rooms, gone->arena);
    admin_logins_forget(reports->logins, gone->arena);
    arena_slot_close(gone);
    if (reports->http != NULL)
        http_end_stale(reports->http);
    if (!reports->is_trim_due)
        loop_set_timer(reports->trim, monotonic_ms() + TRIM_EVERY_MS);
    reports->is_trim_due = true;
}

static void take_reports(void *context)
{
    struct arena_reports *reports = context;
    struct arena_table *table = reports->table;
    struct arena_slot *gone;
    wakeup_clear(&table->wakeup); // first: a signal during what follows must not be lost
    arena_table_collect(table);
    for (int i = 0; i < table->running.count; i++)
        read_arena(reports, table->running.arenas[i]);
    while ((gone = arena_table_next_gone(table)) != NULL)
        close_arena(reports, gone);
    watchers_call(&table->watchers);
}

static void trim(void *context)
{
    struct arena_reports *reports = context;
    heap_trim();
    reports->is_trim_due = false;
}

bool arena_reports_start(struct arena_reports *reports, struct loop *loop)
{
    const int descriptor = reports->table->wakeup.descriptor;
    reports->source = loop_add_descriptor(loop, descriptor, take_reports, reports);
    reports->trim = loop_add_timer(loop, TRIM_EVERY_MS, trim, reports);
    return reports->source != NULL && reports->trim != NULL;
}

void arena_reports_stop(struct arena_reports *reports)
{
    loop_remove(reports->source);
    loop_remove(reports->trim);
    reports->source = reports->trim = NULL;
}

void arena_reports_finish(const struct arena_reports *reports)
{
    for (int i = 0; i < reports->table->running.count; i++)
        read_rest(reports, reports->table->running.arenas[i]);
    for (const struct arena_slot *slot = reports->table->leaving; slot != NULL; slot = slot->next)
        read_rest(reports, slot->arena);
}
