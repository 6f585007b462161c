// SPDX-License-Identifier: MIT
// Commands about the whole server: its configuration, log and end, and its documents.
#define _GNU_SOURCE
#include "arena_table_changes.h"
#include "command_schema.h"
#include "commands_internal.h"
#include "log.h"
#include "monotonic.h"
#include "status.h"

#include <stdio.h>

void command_reload(struct commands *commands, struct command_call *call)
{
    struct reload_report report = {0};
    call->changes_arenas = true;
    if (!arena_table_reload(commands->table, &report))
        call->status = HTTP_CONFLICT;
    command_set_answer(call, status_reload_json(&report));
    reload_report_clear(&report);
}

void command_log_level(struct commands *commands, struct command_call *call)
{
    enum log_level level;
    (void)commands;
    if (log_level_find(call->fields[FIELD_LEVEL], &level))
        log_set_level(level);
    else
        command_reject(call, HTTP_BAD_REQUEST, command_fields[FIELD_LEVEL].wrong);
}

static void drain(struct commands *commands, struct command_call *call, int64_t seconds)
{
    struct command message = {.kind = COMMAND_DRAIN, .on = true};
    if (seconds > 0)
        snprintf(message.text, sizeof message.text,
                 "This server ends in %lld seconds, or earlier when everybody has left.",
                 (long long)seconds);
    else
        snprintf(message.text, sizeof message.text, "This server ends when everybody has left.");
    command_post(commands, call, &message);
    // Without an arena there is no answer to wait for.
    if (call->status == HTTP_NOT_FOUND && commands->table->running.count == 0)
        command_reject(call, 0, NULL);
    if (call->problem != NULL)
        return;
    if (commands->on_demand != NULL)
        on_demand_reject_new(commands->on_demand, true);
    commands->draining = true;
    commands->drain_waiting += call->waiting;
    commands->drain_end_ms = seconds > 0 ? monotonic_ms() + (uint64_t)seconds * 1000 : 0;
    loop_set_timer(commands->drain_end, seconds > 0 ? commands->drain_end_ms : LOOP_NEVER);
}

void command_drain(struct commands *commands, struct command_call *call)
{
    drain(commands, call, command_number(call, FIELD_TIMEOUT));
}

void commands_drain(struct commands *commands, uint32_t seconds)
{
    struct command_call call = {0}; // number 0: no call takes its answers
    drain(commands, &call, seconds);
}

bool commands_is_draining(const struct commands *commands)
{
    return commands->draining;
}

bool commands_is_drained(const struct commands *commands)
{
    const struct arena_list *list = &commands->table->running;
    if (!commands->draining)
        return false;
    if (commands->drain_end_ms > 0 && monotonic_ms() >= commands->drain_end_ms)
        return true;
    // An arena that has not answered may have admitted a player whom it has not counted yet.
    uint32_t players = commands->drain_waiting;
    for (int i = 0; i < list->count; i++)
        players += arena_playing(list->arenas[i]);
    return players == 0;
}

void command_status(struct commands *commands, struct command_call *call)
{
    command_set_answer(call, status_json(commands->view, monotonic_ms()));
}

void command_players(struct commands *commands, struct command_call *call)
{
    command_set_answer(call, status_players_json(&commands->table->running));
}

void command_maps(struct commands *commands, struct command_call *call)
{
    command_set_answer(call, status_maps_json(commands->table->config));
}

void command_commands(struct commands *commands, struct command_call *call)
{
    (void)commands;
    command_set_answer(call, command_list_json());
}

void command_arena_clip(struct commands *commands, struct command_call *call)
{
    enum { USUAL_S = 30 };
    const int64_t seconds = command_number(call, FIELD_CLIP_SECONDS);
    const struct arena_list *list = &commands->table->running;
    const int index = command_find_arena(commands, call);
    if (index < 0)
        return;
    struct recorder_stream *stream = arena_recorder_stream(list->arenas[index]);
    if (stream == NULL)
        command_reject(call, HTTP_CONFLICT, "the arena is not being recorded");
    else if (!recorder_command_clip(commands->table->recorder, stream,
                                    seconds > 0 ? (uint32_t)seconds : USUAL_S, call->number))
        command_reject(call, HTTP_UNAVAILABLE, "too many clips are being written");
    else
        call->asked = call->waiting = 1;
}

void command_answer_recorder(struct command_call *call, const struct recorder_answer *answer)
{
    char *text = NULL;
    call->waiting = 0;
    call->answered = call->asked;
    if (answer->problem[0] != '\0')
        command_set_error(call, HTTP_CONFLICT, answer->problem);
    else if (answer->clip[0] != '\0')
        command_set_answer(
            call, asprintf(&text, "{\"recording\":\"%s\"}\n", answer->clip) < 0 ? NULL : text);
}

// Has the recorder change a recording, kept or not. Downloads that are under way go on.
static void change(struct commands *commands, struct command_call *call,
                   enum recorder_change change)
{
    struct recording_entry entry;
    struct recorder *recorder = commands->table->recorder;
    const char *name = call->fields[FIELD_RECORDING];
    if (recorder == NULL || !recordings_find(recorder_recordings(recorder), name, &entry))
        command_reject(call, HTTP_NOT_FOUND, "no such recording");
    else if (!recorder_command_change(recorder, change, name, call->number))
        command_reject(call, HTTP_UNAVAILABLE, "too many changes of recordings are pending");
    else
        call->waiting = 1;
}

void command_recording_delete(struct commands *commands, struct command_call *call)
{
    change(commands, call, RECORDER_DELETE);
}

void command_recording_keep(struct commands *commands, struct command_call *call)
{
    change(commands, call, RECORDER_KEEP);
}

void command_recording_unkeep(struct commands *commands, struct command_call *call)
{
    change(commands, call, RECORDER_UNKEEP);
}
