// SPDX-License-Identifier: MIT
// One switch over the kinds of items.
#define _GNU_SOURCE
#include "arena_reports.h"

#include "admin_logins.h"
#include "arena_command.h"
#include "bans.h"
#include "control.h"
#include "event_queue.h"
#include "http.h"
#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "mailbox.h"
#include "message.h"
#include "monotonic.h"
#include "on_demand.h"
#include "process_usage.h"
#include "result_json.h"
#include "results.h"
#include "rotation.h"
#include "server_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What the main thread does about a vote of an arena: the log, the event `vote`, and the ban of a
// kicked player's address.

static const char *outcome_of(const struct raim_match_vote *vote)
{
    return vote->outcome == 0 ? "called" : raim_vote_outcome_name(vote->outcome);
}

static void print_player(struct text_buffer *out, const char *key, raim_player_id id,
                         const char *name)
{
    text_buffer_print(out, "\"%s\":{\"id\":%u,\"name\":", key, id);
    json_text_quote(out, name);
    text_buffer_print(out, "}");
}

static void print_text(struct text_buffer *out, const char *key, const char *text)
{
    text_buffer_print(out, ",\"%s\":", key);
    json_text_quote(out, text);
}

static char *fields_of(const struct raim_match_vote *vote)
{
    const struct raim_vote_subject *subject = &vote->subject;
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"vote\":\"%s\",\"number\":%u,\"outcome\":\"%s\"",
                      raim_vote_kind_name(subject->kind), vote->number, outcome_of(vote));
    text_buffer_print(&out, ",\"by_operator\":%s,\"yes\":%u,\"no\":%u,\"electors\":%u",
                      vote->by_operator ? "true" : "false", vote->tally.yes, vote->tally.no,
                      vote->tally.electors);
    text_buffer_print(&out, ",");
    print_player(&out, "caller", vote->caller, vote->caller_name);
    if (raim_vote_has_player(subject->kind)) {
        text_buffer_print(&out, ",");
        print_player(&out, "target", (raim_player_id)subject->player, vote->target_name);
    }
    if (subject->kind == RAIM_VOTE_MAP)
        print_text(&out, "map", subject->map);
    if (subject->kind == RAIM_VOTE_EXTEND)
        text_buffer_print(&out, ",\"minutes\":%u", subject->minutes);
    print_text(&out, "reason", subject->reason);
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

// Whether other players share the address that a ban would meet, in this arena or another one.
static bool meets_others(const struct arena_reports *reports, const struct arena *arena,
                         const struct arena_event *item, const struct ban *ban)
{
    const struct arena_list *running = &reports->table->running;
    bool found = item->vote.shares_address;
    for (int i = 0; i < running->count && !found; i++) {
        if (running->arenas[i] == arena)
            continue; // the match knows it, and its status may be of before the vote's end
        const struct arena_status *status = arena_status(running->arenas[i]);
        for (uint32_t j = 0; j < status->player_count && !found; j++)
            found = !ip_address_is_none(status->players[j].address) &&
                    bans_covers(ban->network, ban->prefix, status->players[j].address);
    }
    return found;
}

// Lets the arena reject the name of the player whom its vote has kicked; where its mailbox is full
// the player may return.
static void bar(const struct arena *arena, uint32_t number)
{
    struct mailbox *mailbox = arena_mailbox((struct arena *)arena);
    struct command *command = mailbox_reserve(mailbox);
    if (command == NULL)
        return;
    *command = (struct command){.kind = COMMAND_BAR, .number = number};
    mailbox_submit(mailbox);
}

static void ban(const struct arena_reports *reports, const struct arena *arena,
                const struct arena_event *item)
{
    const struct config_arena *config = arena_config(arena);
    const char *reason = item->vote.subject.reason;
    char address[BANS_NETWORK_BYTES];
    struct ban made = {0};
    struct timespec now;
    if (config->match.tuning.votes.kick_minutes == 0 || ip_address_is_none(item->address))
        return;
    bans_print_address(item->address, address);
    if (!bans_parse(address, &made.network, &made.prefix)) // an IPv6 address becomes its /64
        return;
    if (meets_others(reports, arena, item, &made)) {
        log_arena_info(config->name, "vote without ban arena=%s: other players share the address",
                       config->name);
        bar(arena, item->vote.number);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    strcpy(made.by, "vote");
    made.until_s = now.tv_sec + 60 * (int64_t)config->match.tuning.votes.kick_minutes;
    snprintf(made.why, sizeof made.why, "voted off%s%s", reason[0] != '\0' ? ": " : "", reason);
    const char *problem =
        reports->control != NULL ? control_ban(reports->control, &made) : "the server ends";
    if (problem != NULL)
        log_arena_warning(config->name, "vote without ban arena=%s: %s", config->name, problem);
}

// Takes an item ARENA_EVENT_VOTE.
static void vote_report_note(const struct arena_reports *reports, const struct arena *arena,
                             const struct arena_event *item)
{
    const char *name = arena_config(arena)->name;
    const struct raim_match_vote *vote = &item->vote;
    log_write(LOG_LEVEL_AUDIT, &(struct log_subject){.arena = name},
              "vote %s arena=%s kind=%s caller=%u target=%u yes=%u no=%u electors=%u%s",
              outcome_of(vote), name, raim_vote_kind_name(vote->subject.kind), vote->caller,
              vote->subject.player, vote->tally.yes, vote->tally.no, vote->tally.electors,
              vote->by_operator ? " by=operator" : "");
    server_events_add(reports->table->events, "vote", name, fields_of(vote));
    if (vote->outcome == RAIM_VOTE_PASSED && vote->subject.kind == RAIM_VOTE_KICK)
        ban(reports, arena, item);
}

enum { TRIM_EVERY_MS = 1000 }; // of the heap: arenas may come and go all the time

static char *player_fields(const struct arena_event *item)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{");
    print_player(&out, "player", item->player, item->name);
    if (item->kind == ARENA_EVENT_LEFT)
        text_buffer_print(&out, ",\"reason\":\"%s\",\"score\":%u,\"deaths\":%u",
                          raim_reason_name(item->reason), item->score, item->deaths);
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

static char *chat_fields(const struct arena_event *item)
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

static char *kill_fields(const struct arena_event *item)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{");
    print_player(&out, "player", item->player, item->name);
    text_buffer_print(&out, ",");
    print_player(&out, "victim", item->other, item->other_name);
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

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
    if (index >= 0 && !rotation_begin_map(reports->table->slots[index], map))
        log_arena_warning(name, "vote without map arena=%s: the rotation has no map \"%s\"", name,
                          map);
}

static void note_item(const struct arena_reports *reports, struct arena *arena,
                      const struct arena_event *item)
{
    struct event_queue *queue = arena_get_event_queue(arena);
    struct server_events *events = reports->table->events;
    const char *name = arena_config(arena)->name;
    const struct round_report *round =
        item->kind == ARENA_EVENT_ROUND_ENDED ? event_queue_round(queue) : NULL;
    if (arena_config(arena)->is_on_demand && reports->on_demand != NULL)
        on_demand_note(reports->on_demand, arena, item, round);
    switch (item->kind) {
    case ARENA_EVENT_JOINED:
        server_events_add(events, "join", name, player_fields(item));
        break;
    case ARENA_EVENT_LEFT:
        server_events_add(events, "leave", name, player_fields(item));
        break;
    case ARENA_EVENT_ROUND_ENDED:
        note_round(reports, round);
        event_queue_release_round(queue);
        break;
    case ARENA_EVENT_CHAT:
        server_events_add(events, "chat", name, chat_fields(item));
        break;
    case ARENA_EVENT_KILL:
        server_events_add(events, "kill", name, kill_fields(item));
        break;
    case ARENA_EVENT_LINE:
        if (reports->logins != NULL)
            admin_logins_take_line(reports->logins, arena, item);
        break;
    case ARENA_EVENT_VOTE:
        vote_report_note(reports, arena, item);
        break;
    case ARENA_EVENT_MAP_WANTED:
        begin_map(reports, arena, item->text);
        break;
    case ARENA_EVENT_KINDS:
        break;
    }
}

// Reads what an arena has reported.
static void read_arena(const struct arena_reports *reports, struct arena *arena)
{
    struct event_queue *queue = arena_get_event_queue(arena);
    struct arena_event item;
    if (queue == NULL)
        return;
    event_queue_want(queue, server_events_wants(reports->table->events, EVENT_CHAT),
                     server_events_wants(reports->table->events, EVENT_KILL));
    while (event_queue_take(queue, &item))
        note_item(reports, arena, &item);
    results_lose(reports->table->results, event_queue_take_lost(queue, ARENA_EVENT_ROUND_ENDED));
}

// Reads what an arena has reported that its worker has released: its remaining players leave.
static void read_rest(const struct arena_reports *reports, struct arena *arena)
{
    struct arena_event item;
    read_arena(reports, arena);
    while (arena_get_event_queue(arena) != NULL &&
           event_queue_take_rest(arena_get_event_queue(arena), &item)) {
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
    if (reports->on_demand != NULL)
        on_demand_forget(reports->on_demand, gone->arena);
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
    for (int i = 0; i < table->running.count; i++) {
        read_arena(reports, table->running.arenas[i]);
        arena_post_checkpoint(table->running.arenas[i]);
    }
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
    reports->control = NULL;
    reports->http = NULL;
    reports->logins = NULL;
}

void arena_reports_finish(const struct arena_reports *reports)
{
    for (int i = 0; i < reports->table->running.count; i++)
        read_rest(reports, reports->table->running.arenas[i]);
    for (const struct arena_slot *slot = reports->table->leaving; slot != NULL; slot = slot->next)
        read_rest(reports, slot->arena);
}
