// SPDX-License-Identifier: MIT
// Commands about arenas: of the configuration, and made on request (on_demand.h).
#define _GNU_SOURCE
#include "arena_table_changes.h"
#include "commands_internal.h"
#include "log.h"
#include "store.h"

#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = 4096 }; // of a failed change: a map may have many mistakes

static void conclude(struct command_call *call, bool done, const char *error)
{
    if (!done)
        command_set_error(call, HTTP_CONFLICT, error);
}

static void add_later(struct commands *commands, struct command_call *call)
{
    struct late_add *late = commands->late_adds, *const end = late + COMMAND_LATE_ADDS;
    while (late < end && late->number != 0)
        late++;
    if (late == end) {
        command_reject(
            call, HTTP_UNAVAILABLE,
            "too many pending restarts: arenas with the same name are still shutting down");
        return;
    }
    late->number = call->number;
    strcpy(late->name, call->fields[FIELD_ARENA]);
    call->asked = call->waiting = 1;
}

bool command_collect_late_add(struct commands *commands, uint32_t *number, bool *done)
{
    char error[ERROR_BYTES] = "this arena runs already";
    for (int i = 0; i < COMMAND_LATE_ADDS; i++) {
        struct late_add *late = &commands->late_adds[i];
        if (late->number == 0 || arena_table_is_leaving(commands->table, late->name))
            continue;
        *done = arena_list_find(&commands->table->running, late->name) < 0 &&
                arena_table_add_arena(commands->table, late->name, error, sizeof error);
        if (!*done)
            log_arena_error(late->name, "arena failed arena=%s: %s", late->name, error);
        *number = late->number;
        late->number = 0;
        return true;
    }
    return false;
}

void command_arena_add(struct commands *commands, struct command_call *call)
{
    const char *name = call->fields[FIELD_ARENA];
    char error[ERROR_BYTES];
    call->changes_arenas = true;
    if (arena_list_find(&commands->table->running, name) >= 0)
        command_reject(call, HTTP_CONFLICT, "this arena runs already");
    else if (arena_table_is_leaving(commands->table, name))
        add_later(commands, call);
    else
        conclude(call, arena_table_add_arena(commands->table, name, error, sizeof error), error);
}

void command_arena_remove(struct commands *commands, struct command_call *call)
{
    const int index = command_find_arena(commands, call);
    char error[ERROR_BYTES];
    if (index >= 0)
        conclude(call, arena_table_remove_arena(commands->table, index, error, sizeof error),
                 error);
}

void command_arena_map(struct commands *commands, struct command_call *call)
{
    const int index = command_find_arena(commands, call);
    const char *path = call->fields[FIELD_MAP];
    char error[ERROR_BYTES];
    if (index >= 0)
        conclude(call, arena_table_change_map(commands->table, index, path, error, sizeof error),
                 error);
}

void command_arena_pause(struct commands *commands, struct command_call *call)
{
    command_post(commands, call, &(struct command){.kind = COMMAND_PAUSE, .on = true});
}

void command_arena_resume(struct commands *commands, struct command_call *call)
{
    command_post(commands, call, &(struct command){.kind = COMMAND_PAUSE});
}

// Takes the answer to a request.
static void take(struct command_call *call, const struct on_demand_answer *answer)
{
    call->status = answer->status;
    call->retry_after_s = answer->retry_after_s;
    command_set_answer(call, answer->text);
}

// Makes a request that changes an arena, whose answer promises that it survives this process.
static void change(struct commands *commands, struct command_call *call,
                   void (*request)(struct on_demand *on_demand, const char *id, const char *json,
                                   size_t size, struct on_demand_answer *answer))
{
    struct on_demand_answer answer = {0};
    struct store *store = commands->table->store;
    request(commands->on_demand, call->fields[FIELD_ID], call->body, call->body_bytes, &answer);
    take(call, &answer);
    if (call->status < HTTP_BAD_REQUEST && store_has_directory(store))
        call->change = store_newest(store);
}

void command_arena_create(struct commands *commands, struct command_call *call)
{
    change(commands, call, on_demand_create);
}

void command_arena_change(struct commands *commands, struct command_call *call)
{
    change(commands, call, on_demand_change);
}

void command_arena_end(struct commands *commands, struct command_call *call)
{
    change(commands, call, on_demand_end);
}

void command_arena_show(struct commands *commands, struct command_call *call)
{
    struct on_demand_answer answer = {0};
    on_demand_show(commands->on_demand, call->fields[FIELD_ID], &answer);
    take(call, &answer);
}

void command_arena_list(struct commands *commands, struct command_call *call)
{
    struct on_demand_answer answer = {0};
    on_demand_list(commands->on_demand, &answer);
    take(call, &answer);
}

void command_arena_templates(struct commands *commands, struct command_call *call)
{
    struct on_demand_answer answer = {0};
    on_demand_templates(commands->on_demand, &answer);
    take(call, &answer);
}

void command_arena_capacity(struct commands *commands, struct command_call *call)
{
    struct on_demand_answer answer = {0};
    on_demand_capacity(commands->on_demand, &answer);
    take(call, &answer);
}

void command_say(struct commands *commands, struct command_call *call)
{
    struct command message = {.kind = COMMAND_SAY};
    if (command_text(call, FIELD_TEXT, message.text))
        command_post(commands, call, &message);
}

void command_kick(struct commands *commands, struct command_call *call)
{
    struct command message = {.kind = COMMAND_KICK,
                              .player = (raim_player_id)command_number(call, FIELD_PLAYER)};
    if (command_text(call, FIELD_REASON, message.text))
        command_post(commands, call, &message);
}

static void set_mute(struct commands *commands, struct command_call *call, bool on)
{
    command_post(commands, call,
                 &(struct command){.kind = COMMAND_MUTE,
                                   .on = on,
                                   .player = (raim_player_id)command_number(call, FIELD_PLAYER)});
}

void command_mute(struct commands *commands, struct command_call *call)
{
    set_mute(commands, call, true);
}

void command_unmute(struct commands *commands, struct command_call *call)
{
    set_mute(commands, call, false);
}

static void decide_vote(struct commands *commands, struct command_call *call, uint32_t outcome)
{
    command_post(commands, call, &(struct command){.kind = COMMAND_VOTE, .outcome = outcome});
}

void command_vote_cancel(struct commands *commands, struct command_call *call)
{
    decide_vote(commands, call, RAIM_VOTE_CANCELLED);
}

void command_vote_pass(struct commands *commands, struct command_call *call)
{
    decide_vote(commands, call, RAIM_VOTE_PASSED);
}

void command_vote_fail(struct commands *commands, struct command_call *call)
{
    decide_vote(commands, call, RAIM_VOTE_FAILED);
}
