// SPDX-License-Identifier: MIT
// Checks commands, calls their functions, and matches the answers of arenas with the commands that
// wait for them.
#define _GNU_SOURCE
#include "commands.h"

#include "commands_internal.h"
#include "json_writer.h"
#include "log.h"
#include "mailbox.h"
#include "monotonic.h"
#include "name.h"
#include "status.h"
#include "store.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_MS = 2000, // the time that arenas have for a command
    STORED_MS = 1000, // and the store
};

#define COMMAND(name, scope, level, needs, takes, function, failure, help) (function),
#define REQUEST(name, scope, method, path, needs, takes, function, answer, help) (function),

static command_function *const functions[] = {
#include "command_rows.h"
};

// --- For the functions of commands ---

bool command_reject(struct command_call *call, unsigned status, const char *problem)
{
    call->status = status;
    call->problem = problem;
    return false;
}

void command_set_answer(struct command_call *call, char *text)
{
    call->text = text;
    if (text == NULL)
        command_reject(call, HTTP_SERVER_ERROR, "out of memory");
}

void command_set_error(struct command_call *call, unsigned status, const char *error)
{
    call->status = status;
    command_set_answer(call, status_problem_json(error));
}

int command_find_arena(const struct commands *commands, struct command_call *call)
{
    const int index = arena_list_find(&commands->table->running, call->fields[FIELD_ARENA]);
    if (index < 0)
        command_reject(call, HTTP_NOT_FOUND, "no such arena");
    return index;
}

int64_t command_number(const struct command_call *call, enum command_field field)
{
    return atoll(call->fields[field]);
}

bool command_text(struct command_call *call, enum command_field field, char *text)
{
    text[0] = '\0';
    return call->fields[field][0] == '\0' ||
           raim_text_clean(call->fields[field], text, RAIM_MAX_TEXT_BYTES) ||
           command_reject(call, HTTP_BAD_REQUEST, command_fields[field].wrong);
}

// Posts a message to one arena, unless its mailbox is full.
static void post(struct command_call *call, struct arena *arena, const struct command *message)
{
    struct command *blank = mailbox_reserve(arena_mailbox(arena));
    call->asked++;
    if (blank == NULL)
        return;
    *blank = *message;
    blank->request = call->number;
    mailbox_submit(arena_mailbox(arena));
    call->waiting++;
}

void command_post(const struct commands *commands, struct command_call *call,
                  const struct command *message)
{
    const struct arena_list *list = &commands->table->running;
    const char *name = call->fields[FIELD_ARENA];
    const int index = arena_list_find(list, name);
    for (int i = 0; i < list->count; i++)
        if (name[0] == '\0' || i == index)
            post(call, list->arenas[i], message);
    if (call->asked == 0)
        command_reject(call, HTTP_NOT_FOUND, "no such arena");
    else if (call->waiting == 0)
        command_reject(call, HTTP_UNAVAILABLE, "the arena has not answered its earlier commands");
}

// --- Lifetime ---

static void run(void *context)
{
    commands_run(context);
}

// Wakes the main thread, which then finds that commands_is_drained.
static void end_drain(void *context)
{
    (void)context;
}

struct commands *commands_open(struct loop *loop, struct arena_table *table,
                               struct on_demand *on_demand, char *error, size_t capacity)
{
    struct commands *commands = calloc(1, sizeof *commands);
    snprintf(error, capacity, "out of memory");
    if (commands == NULL)
        return NULL;
    commands->table = table;
    commands->on_demand = on_demand;
    commands->answered = commands->stored = (struct watcher){.run = run, .context = commands};
    watchers_add(&table->watchers, &commands->answered);
    if (table->store != NULL)
        store_watch(table->store, &commands->stored);
    commands->deadline = loop_add_timer(loop, 0, run, commands);
    commands->drain_end = loop_add_timer(loop, 0, end_drain, NULL);
    if (commands->deadline != NULL && commands->drain_end != NULL)
        commands->bans = ban_store_open(&table->running, table->store, error, capacity);
    if (commands->bans == NULL) {
        commands_close(commands);
        return NULL;
    }
    commands->ban_source = ban_source_open(loop, table, commands->bans);
    return commands;
}

void commands_close(struct commands *commands)
{
    if (commands == NULL)
        return;
    assert(commands->waiting == NULL);
    watchers_remove(&commands->table->watchers, &commands->answered);
    if (commands->table->store != NULL)
        store_unwatch(commands->table->store, &commands->stored);
    loop_remove(commands->deadline);
    loop_remove(commands->drain_end);
    ban_source_close(commands->ban_source);
    ban_store_close(commands->bans);
    free(commands);
}

void commands_serve_status(struct commands *commands, const struct status_view *view)
{
    commands->view = view;
}

const struct ban_source *commands_ban_source(const struct commands *commands)
{
    return commands->ban_source;
}

const struct arena_list *commands_arenas(const struct commands *commands)
{
    return &commands->table->running;
}

struct on_demand *commands_on_demand(const struct commands *commands)
{
    return commands->on_demand;
}

// --- Execution ---

static void check_fields(const struct commands *commands, struct command_call *call)
{
    const struct command_row *row = call->row;
    if (row->scope ==
        COMMAND_MATCHMAKER) { // on_demand.h reads the body and reports all mistakes of it
        if (commands->on_demand == NULL)
            command_reject(call, HTTP_NOT_FOUND, "arenas on demand are not configured");
        return;
    }
    for (int i = 0; i < COMMAND_FIELDS; i++) {
        const enum command_field field = (enum command_field)i;
        const bool is_given = call->fields[i][0] != '\0';
        if (!is_given && (row->needs & COMMAND_BIT(field)) != 0)
            command_reject(call, HTTP_BAD_REQUEST, "a field is missing");
        else if (is_given && !command_has(row, field))
            command_reject(call, HTTP_BAD_REQUEST, "this command does not take one of the fields");
        else if (is_given && !command_check(field, call->fields[i]))
            command_reject(call, HTTP_BAD_REQUEST, command_fields[i].wrong);
    }
}

static void log_call(const struct commands *commands, const struct command_call *call)
{
    char fields[COMMAND_FIELDS * COMMAND_FIELD_BYTES], name[COMMAND_SLUG_BYTES];
    size_t length = 0;
    fields[0] = '\0';
    for (int i = 0; i < COMMAND_FIELDS && length < sizeof fields; i++) {
        const bool has_spaces = i == FIELD_TEXT || i == FIELD_REASON || i == FIELD_MAP;
        if (call->fields[i][0] != '\0')
            length += (size_t)snprintf(fields + length, sizeof fields - length,
                                       has_spaces ? " %s=\"%s\"" : " %s=%s", command_fields[i].name,
                                       call->fields[i]);
    }
    command_slug(call->row, name);
    command_log_write(commands->table->events, &(struct command_note){
                                                   .by = call->by,
                                                   .via = call->via,
                                                   .command = name,
                                                   .arena = call->fields[FIELD_ARENA],
                                                   .player = call->fields[FIELD_PLAYER],
                                                   .fields = fields,
                                               });
}

// Judges the outcome of a command that waits no longer, and hands it back.
static void finish(struct commands *commands, struct command_call *call)
{
    if (call->problem == NULL && call->waiting > 0)
        command_reject(call, HTTP_GATEWAY_TIMEOUT, "no answer in time");
    else if (call->problem == NULL && call->asked > 0 && call->answered == 0 &&
             call->row->failure != NULL)
        command_reject(call, HTTP_CONFLICT, call->row->failure);
    if (call->problem == NULL && call->changes_bans)
        command_answer_bans(commands, call);
    if (call->status < HTTP_BAD_REQUEST && command_changes(call->row))
        log_call(commands, call);
    call->done(call);
}

// Whether the answer waits for the store. A disk that stalls delays it by STORED_MS at most.
static bool is_storing(const struct commands *commands, const struct command_call *call)
{
    struct store *store = commands->table->store;
    return (call->changes_arenas && arena_table_poll_token_marking(commands->table)) ||
           (call->change != 0 && store_written(store) < call->change && !store_is_late(store));
}

// When a command is to be finished in any case; 0: at once.
static uint64_t due_ms(const struct commands *commands, const struct command_call *call)
{
    if (call->problem != NULL)
        return 0;
    if (call->waiting > 0)
        return call->given_ms + ANSWER_MS;
    return is_storing(commands, call) ? call->given_ms + STORED_MS : 0;
}

static void set_deadline(const struct commands *commands)
{
    uint64_t first_ms = LOOP_NEVER;
    for (const struct command_call *call = commands->waiting; call != NULL; call = call->next)
        first_ms = due_ms(commands, call) < first_ms ? due_ms(commands, call) : first_ms;
    loop_set_timer(commands->deadline, first_ms);
}

void commands_execute(struct commands *commands, struct command_call *call)
{
    assert(call->row != NULL && call->via != NULL && call->done != NULL);
    check_fields(commands, call);
    call->number = ++commands->next_number;
    if (call->problem == NULL)
        functions[call->row - command_rows](commands, call);
    call->given_ms = monotonic_ms();
    if (due_ms(commands, call) == 0) {
        finish(commands, call);
        return;
    }
    call->is_waiting = true;
    call->next = commands->waiting;
    commands->waiting = call;
    set_deadline(commands);
}

void commands_withdraw(struct commands *commands, struct command_call *call)
{
    if (!call->is_waiting)
        return;
    struct command_call **link = &commands->waiting;
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    call->is_waiting = false;
}

static void end_waiting(struct commands *commands, struct command_call *call)
{
    commands_withdraw(commands, call);
    finish(commands, call);
}

void commands_end(struct commands *commands)
{
    while (commands->waiting != NULL)
        end_waiting(commands, commands->waiting);
}

// --- Answers ---

// NULL: it was withdrawn, or its deadline has passed.
static struct command_call *find_waiting(const struct commands *commands, uint32_t number)
{
    struct command_call *call = commands->waiting;
    while (call != NULL && call->number != number)
        call = call->next;
    return call;
}

// Counts an arena's answer to the command of this number.
static void count_answer(struct commands *commands, uint32_t number, bool done)
{
    struct command_call *call = find_waiting(commands, number);
    if (call == NULL)
        return;
    call->answered += done;
    call->waiting--;
    if (due_ms(commands, call) == 0)
        end_waiting(commands, call);
}

static void collect(struct commands *commands, struct arena *arena)
{
    const struct command *answer;
    while ((answer = mailbox_completed(arena_mailbox(arena))) != NULL) {
        const struct command message = *answer;
        mailbox_release(arena_mailbox(arena));
        if (message.kind == COMMAND_BANS)
            ban_store_acknowledge(commands->bans, arena, message.bans);
        if (message.kind == COMMAND_DRAIN) {
            assert(commands->drain_waiting > 0);
            commands->drain_waiting--;
        }
        if (message.request != 0)
            count_answer(commands, message.request, message.done || message.kind == COMMAND_BANS);
    }
}

void commands_forget(struct commands *commands, struct arena *arena)
{
    struct command *message;
    while ((message = mailbox_peek(arena_mailbox(arena))) != NULL) {
        message->done = false;
        mailbox_complete(arena_mailbox(arena));
    }
    ban_store_forget(commands->bans, arena);
    collect(commands, arena);
}

static void collect_recorder(struct commands *commands)
{
    struct recorder_answer answer;
    struct recorder *recorder = commands->table->recorder;
    while (recorder != NULL && recorder_take_answer(recorder, &answer)) {
        struct command_call *call = find_waiting(commands, answer.number);
        if (call == NULL)
            continue;
        command_answer_recorder(call, &answer);
        end_waiting(commands, call);
    }
}

void commands_run(struct commands *commands)
{
    const struct arena_list *list = &commands->table->running;
    uint32_t number;
    bool done;
    for (int i = 0; i < list->count; i++)
        collect(commands, list->arenas[i]);
    ban_store_publish(commands->bans, 0);
    while (command_collect_late_add(commands, &number, &done))
        count_answer(commands, number, done);
    collect_recorder(commands);
    const uint64_t now_ms = monotonic_ms();
    for (struct command_call *call = commands->waiting, *next; call != NULL; call = next) {
        next = call->next;
        if (now_ms >= due_ms(commands, call))
            end_waiting(commands, call);
    }
    set_deadline(commands);
}

// Whether a text has no control characters, which would break the lines of the log.
static bool is_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7F)
            return false;
    return true;
}

static const char *take(char value[COMMAND_FIELD_BYTES], enum command_field field,
                        const json_t *member)
{
    const char *wrong = command_fields[field].wrong;
    switch (command_fields[field].type) {
    case TYPE_INTEGER:
        snprintf(value, COMMAND_FIELD_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(member));
        return json_is_integer(member) ? NULL : wrong;
    case TYPE_BOOLEAN:
        strcpy(value, json_is_true(member) ? "true" : "");
        return json_is_boolean(member) ? NULL : "want true or false";
    default:
        break;
    }
    const char *text = json_string_value(member);
    if (text == NULL || strlen(text) >= COMMAND_FIELD_BYTES || !is_printable(text))
        return "want texts of at most 511 bytes without control characters";
    strcpy(value, text);
    return text[0] != '\0' || wrong == NULL ? NULL : wrong;
}

static const char *read_members(struct command_call *call, const json_t *root)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)root, name, member)
    {
        const enum command_field field = command_field_find(call->row, name);
        if (field == COMMAND_FIELDS)
            return "this command does not take one of the fields";
        const char *problem = take(call->fields[field], field, member);
        if (problem != NULL)
            return problem;
    }
    return NULL;
}

const char *command_body_read(struct command_call *call)
{
    json_t *root = call->body_bytes == 0
                       ? json_object()
                       : json_loadb(call->body, call->body_bytes, JSON_REJECT_DUPLICATES, NULL);
    const char *problem =
        json_is_object(root) ? read_members(call, root) : "want a JSON object as the body";
    json_decref(root);
    return problem;
}

static char *event_fields(const struct command_note *note)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"by\":");
    json_text_quote(&out, note->by);
    text_buffer_print(&out, ",\"via\":\"%s\",\"command\":\"%s\",\"private\":{\"line\":", note->via,
                      note->command);
    // A command may name an address.
    struct text_buffer line = {0};
    text_buffer_print(&line, "%s%s", note->command, note->fields);
    char *text = text_buffer_take(&line);
    json_text_quote(&out, text != NULL ? text : note->command);
    free(text);
    text_buffer_print(&out, "}}");
    return text_buffer_take(&out);
}

void command_log_write(struct server_events *events, const struct command_note *note)
{
    const struct log_subject subject = {.arena = note->arena, .player = note->player};
    log_write(LOG_LEVEL_AUDIT, &subject, "command given by=%s via=%s command=%s%s", note->by,
              note->via, note->command, note->fields);
    if (server_events_wants(events, EVENT_COMMAND))
        server_events_add(events, "command", note->arena[0] != '\0' ? note->arena : NULL,
                          event_fields(note));
}

void command_log_set_by(char by[COMMAND_BY_BYTES], const char *name)
{
    size_t length = 0;
    for (; name[length] != '\0' && length < COMMAND_BY_BYTES - 1; length++) {
        const char byte = name[length];
        const bool is_plain = byte > ' ' && byte < 0x7F && byte != '"' && byte != '\\';
        by[length] = is_plain ? byte : '_';
    }
    by[length] = '\0';
}
