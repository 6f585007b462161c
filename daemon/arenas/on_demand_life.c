// SPDX-License-Identifier: MIT
// Runs the arenas: notes what their arenas report, and ends them when they are due.
#define _GNU_SOURCE
#include "on_demand_internal.h"

#include "log.h"
#include "loop.h"
#include "message.h"
#include "monotonic.h"
#include "store.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOTICE_MS = 100,    // between the command to disconnect players and the end of their arena
    RETRY_MS = 10,      // after a worker's or arena's mailbox was full
    ROUND_LEAD_MS = 50, // before the break after the last round is over
};

static void note_joined(struct on_demand *on_demand, struct arena_on_demand *requested,
                        const struct arena_event *item)
{
    requested->present++;
    event_journal_add(on_demand->events, "player_joined", on_demand_player_event(requested, item));
    if (requested->record.was_joined)
        return;
    requested->record.was_joined = true;
    on_demand_store(on_demand, requested);
}

static void note_left(struct on_demand *on_demand, struct arena_on_demand *requested,
                      const struct arena_event *item)
{
    requested->present -= requested->present > 0;
    event_journal_add(on_demand->events, "player_left", on_demand_player_event(requested, item));
}

static bool has_client(const struct round_report *report)
{
    for (uint32_t i = 0; i < report->player_count; i++)
        if (!report->players[i].bot)
            return true;
    return false;
}

// A round that was cut short or played by bots alone has no result for the matchmaker.
static void note_round(struct on_demand *on_demand, struct arena_on_demand *requested,
                       const struct round_report *report)
{
    const bool is_whole = report->ended == ROUND_END_CLOCK || report->ended == ROUND_END_SCORE;
    if (!is_whole || !has_client(report))
        return;
    char *result = on_demand_result(report);
    requested->rounds++;
    requested->round_ended_ms = monotonic_ms();
    event_journal_add(on_demand->events, "round_ended", on_demand_round_event(requested, result));
    if (result == NULL)
        return;
    free(requested->record.result);
    requested->record.result = result;
    on_demand_store(
        on_demand,
        requested); // for the next process, should this one die before it reports the end
}

static void make_ready(struct on_demand *on_demand, struct arena_on_demand *requested)
{
    requested->state = ON_DEMAND_READY;
    event_journal_add(on_demand->events, "arena_ready",
                      on_demand_ready_event(on_demand, requested));
    if (requested->record.is_draining) // since the last process
        on_demand_begin_drain(on_demand, requested, "", requested->end_ms);
}

static struct arena_on_demand *find_arena(const struct on_demand *on_demand,
                                          const struct arena *arena)
{
    for (int i = 0; i < on_demand->count; i++)
        if (on_demand->list[i]->arena == arena)
            return on_demand->list[i];
    return NULL;
}

void on_demand_note(struct on_demand *on_demand, struct arena *arena,
                    const struct arena_event *item, const struct round_report *round)
{
    struct arena_on_demand *requested = find_arena(on_demand, arena);
    if (requested == NULL)
        return;
    if (requested->state ==
        ON_DEMAND_STARTING) // what it has reported follows the event that it is ready
        make_ready(on_demand, requested);
    if (item->kind == ARENA_EVENT_JOINED)
        note_joined(on_demand, requested, item);
    else if (item->kind == ARENA_EVENT_LEFT &&
             (item->reason != RAIM_REASON_RESTART || requested->cause != NULL))
        note_left(on_demand, requested, item);
    else if (item->kind == ARENA_EVENT_ROUND_ENDED)
        note_round(on_demand, requested, round);
}

// `text` may be that of the previous command.
static void set_command(struct arena_on_demand *requested, bool disconnects, const char *text)
{
    struct command command = {.kind = COMMAND_END, .on = disconnects};
    snprintf(command.text, sizeof command.text, "%s", text);
    requested->command = command;
    requested->has_command = true;
}

void on_demand_begin_end(struct on_demand *on_demand, struct arena_on_demand *requested,
                         const char *cause, const char *reason, uint64_t now_ms)
{
    requested->state = ON_DEMAND_DRAINING;
    requested->cause = cause;
    requested->end_ms = now_ms;
    requested->ends_empty = false;
    if (reason[0] != '\0' && requested->present > 0) {
        set_command(requested, true, reason);
        requested->end_ms += NOTICE_MS;
    }
    // If the process dies now, the next one does not open it again, but reports its end.
    snprintf(requested->record.cause, sizeof requested->record.cause, "%s", cause);
    on_demand_store(on_demand, requested);
}

void on_demand_begin_drain(struct on_demand *on_demand, struct arena_on_demand *requested,
                           const char *reason, uint64_t end_ms)
{
    requested->state = ON_DEMAND_DRAINING;
    requested->end_ms = end_ms;
    requested->ends_empty = true;
    requested->record.is_draining = true;
    set_command(requested, false, reason);
    on_demand_store(on_demand, requested);
}

static void post_command(struct arena_on_demand *requested)
{
    struct command *blank = mailbox_reserve(arena_mailbox(requested->arena));
    if (blank == NULL)
        return; // tried again
    *blank = requested->command;
    mailbox_submit(arena_mailbox(requested->arena));
    requested->has_command = false;
}

static void remove_arena(struct on_demand *on_demand, struct arena_on_demand *requested,
                         uint64_t now_ms)
{
    const int index = arena_list_index(&on_demand->table->running, requested->arena);
    requested->is_removed = index < 0 || arena_table_remove(on_demand->table, index);
    if (!requested->is_removed)
        requested->end_ms = now_ms + RETRY_MS;
}

// The cause to end an arena that is not ending yet; NULL: none.
static const char *find_cause(const struct arena_on_demand *requested, uint64_t now_ms)
{
    const struct arena_request *request = &requested->request;
    const bool is_joined = requested->record.was_joined;
    if (request->ends == ARENA_ENDS_NEVER)
        return NULL;
    if (!is_joined)
        return now_ms >= requested->join_until_ms ? "nobody_joined" : NULL;
    return requested->present == 0 ? "empty" : NULL;
}

// Ends an arena with its round: when the break after it is nearly over.
static void plan_round_end(struct on_demand *on_demand, struct arena_on_demand *requested)
{
    const uint64_t break_ms = (uint64_t)(requested->request.arena.match.tuning.break_s * 1000);
    on_demand_begin_end(on_demand, requested, "round", "", requested->round_ended_ms);
    set_command(requested, false, ""); // admits no new players
    requested->end_ms += break_ms > ROUND_LEAD_MS ? break_ms - ROUND_LEAD_MS : 0;
}

static void run_arena(struct on_demand *on_demand, struct arena_on_demand *requested,
                      uint64_t now_ms)
{
    const bool was_ready = requested->state != ON_DEMAND_STARTING;
    if (!requested->is_removed &&
        arena_is_released(requested->arena)) { // its worker could not run it
        on_demand_begin_end(on_demand, requested, "failed", "", now_ms);
        remove_arena(on_demand, requested, now_ms);
        return;
    }
    if (requested->state == ON_DEMAND_STARTING && arena_ticks(requested->arena) > 0)
        make_ready(on_demand, requested);
    if (requested->state == ON_DEMAND_STARTING || requested->is_removed)
        return;
    // After its first tick, so that the players of a restored match have been reported.
    if (was_ready && requested->state == ON_DEMAND_READY) {
        const char *cause = find_cause(requested, now_ms);
        if (cause != NULL)
            on_demand_begin_end(on_demand, requested, cause, "", now_ms);
        else if (requested->request.ends == ARENA_ENDS_ROUND && requested->rounds > 0)
            plan_round_end(on_demand, requested);
    }
    if (requested->has_command)
        post_command(requested);
    if (requested->state != ON_DEMAND_DRAINING || requested->has_command)
        return;
    if (requested->ends_empty && requested->present == 0 && was_ready)
        on_demand_begin_end(on_demand, requested, "deleted", "", now_ms);
    else if (requested->ends_empty && requested->end_ms != 0 && now_ms >= requested->end_ms)
        on_demand_begin_end(on_demand, requested, "deleted", requested->command.text, now_ms);
    const bool is_deserted = !requested->ends_empty && requested->present == 0;
    if (!requested->has_command && !requested->ends_empty &&
        (is_deserted || now_ms >= requested->end_ms))
        remove_arena(on_demand, requested, now_ms);
}

// When an arena is due.
static uint64_t due_ms(const struct arena_on_demand *requested)
{
    if (requested->is_removed)
        return LOOP_NEVER;
    const bool is_deserted = requested->state == ON_DEMAND_READY && requested->record.was_joined &&
                             requested->present == 0;
    if (requested->has_command || (is_deserted && requested->request.ends != ARENA_ENDS_NEVER))
        return monotonic_ms() + RETRY_MS;
    if (requested->state == ON_DEMAND_DRAINING)
        return requested->end_ms > 0 ? requested->end_ms : LOOP_NEVER;
    const bool can_expire =
        requested->request.ends != ARENA_ENDS_NEVER && !requested->record.was_joined;
    return requested->state == ON_DEMAND_READY && can_expire ? requested->join_until_ms
                                                             : LOOP_NEVER;
}

void on_demand_run(void *context)
{
    struct on_demand *on_demand = context;
    const uint64_t now_ms = monotonic_ms();
    uint64_t first_ms = LOOP_NEVER;
    for (int i = 0; i < on_demand->count; i++)
        run_arena(on_demand, on_demand->list[i], now_ms);
    for (int i = 0; i < on_demand->count; i++)
        first_ms = due_ms(on_demand->list[i]) < first_ms ? due_ms(on_demand->list[i]) : first_ms;
    loop_set_timer(on_demand->timer, first_ms);
}

static void remember(struct on_demand *on_demand, const struct arena_on_demand *requested)
{
    struct text_buffer out = {0};
    struct ended_arena *ended = &on_demand->ended[on_demand->next_ended++ % ON_DEMAND_REMEMBERED];
    free(ended->text);
    on_demand_print_arena(&out, on_demand, requested, "ended");
    text_buffer_print(&out, "\n");
    ended->text = text_buffer_take(&out);
    ended->request_hash = on_demand_hash_of(requested->request.text);
    memcpy(ended->id, requested->id, sizeof ended->id);
}

void on_demand_note_end(struct on_demand *on_demand, struct arena_on_demand *requested,
                        const char *cause)
{
    if (requested->cause == NULL)
        requested->cause = cause;
    event_journal_add(on_demand->events, "arena_ended",
                      on_demand_ended_event(requested, requested->cause));
    if (store_has_directory(on_demand->table->store))
        arena_store_remove(on_demand->table->store, requested->record.name);
    log_arena_info(requested->record.name, "arena ended id=%s arena=%s cause=%s rounds=%u",
                   requested->id, requested->record.name, requested->cause, requested->rounds);
    on_demand->counts.ended++;
    remember(on_demand, requested);
    if (on_demand->observer.ended != NULL)
        on_demand->observer.ended(on_demand->observer.context, requested->id, requested->cause);
    on_demand_free_arena(requested);
}

void on_demand_forget(struct on_demand *on_demand, struct arena *arena)
{
    struct arena_on_demand *requested = find_arena(on_demand, arena);
    if (requested == NULL)
        return;
    int index = 0;
    while (on_demand->list[index] != requested)
        index++;
    on_demand->list[index] = on_demand->list[--on_demand->count];
    on_demand_note_end(on_demand, requested, "deleted"); // unless it was ending: by the operator
}
