// SPDX-License-Identifier: MIT
// Checks the operator's commands and executes them.
#define _GNU_SOURCE
#include "admin_commands.h"

#include "admin_bans.h"
#include "admin_fields.h"
#include "admin_messages.h"
#include "admin_recordings.h"
#include "arena_command.h"
#include "arena_table_changes.h"
#include "ban_source.h"
#include "log.h"
#include "loop.h"
#include "mailbox.h"
#include "monotonic.h"
#include "status.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    OK = 200,
    BAD_REQUEST = 400,
    NOT_FOUND = 404,
    CONFLICT = 409,
    FAILED = 500,
    BUSY = 503,
};

enum { ERROR_BYTES = 4096 }; // of a failed change: a map may have many mistakes

enum { LATE_ADDS = 8 };

// An arena to add once its predecessor of the same name has left.
struct late_add {
    uint32_t number; // of the command; 0: none
    char name[ADMIN_FIELD_BYTES];
};

struct admin_commands {
    struct arena_table *table;
    struct rooms *rooms; // NULL: none
    uint32_t next_number;
    struct ban_book *bans;
    struct ban_source *ban_source; // NULL: none
    const struct status_view *view;
    bool draining;
    uint32_t drain_waiting; // arenas that have not answered the drain yet
    uint64_t drain_end_ms;  // CLOCK_MONOTONIC; 0: no deadline
    struct loop_source *drain_end;
    struct late_add late_adds[LATE_ADDS];
};

static const char no_arena[] = "no such arena";

static void refuse(struct admin_command *command, unsigned status, const char *problem)
{
    command->status = status;
    command->problem = problem;
}

// Sets the answer of a command and takes its text; NULL means that memory ran out.
static void set_answer(struct admin_command *command, char *text)
{
    command->text = text;
    if (text == NULL)
        refuse(command, FAILED, "out of memory");
}

// The index of the running arena that the command names, or -1.
static int find_arena(const struct admin_commands *admin, const struct admin_command *command)
{
    return arena_list_find(&admin->table->running, command->fields[ADMIN_ARENA]);
}

// --- Clips ---

static void execute_clip(struct admin_commands *admin, struct admin_command *command)
{
    enum { USUAL_S = 30, MOST_S = 600 };
    int64_t seconds;
    const struct arena_list *list = &admin->table->running;
    const int index = find_arena(admin, command);
    struct recorder_stream *stream = index >= 0 ? arena_recorder_stream(list->arenas[index]) : NULL;
    if (!admin_commands_read_seconds(command, &seconds) || seconds > MOST_S)
        refuse(command, BAD_REQUEST, "want 1 to 600 seconds");
    else if (index < 0)
        refuse(command, NOT_FOUND, no_arena);
    else if (stream == NULL)
        refuse(command, CONFLICT, "the arena is not being recorded");
    else if (!recorder_order_clip(admin->table->recorder, stream,
                                  seconds > 0 ? (uint32_t)seconds : USUAL_S, command->number))
        refuse(command, BUSY, "too many clips are being written");
    else
        command->asked = command->waiting = 1;
}

bool admin_commands_collect_recorder(struct admin_commands *admin, struct recorder_answer *answer)
{
    struct recorder *recorder = admin->table->recorder;
    return recorder != NULL && recorder_take_answer(recorder, answer);
}

void admin_commands_answer_recorder(struct admin_command *command,
                                    const struct recorder_answer *answer)
{
    char *text = NULL;
    command->waiting = 0;
    command->done = command->asked;
    if (answer->problem[0] != '\0') {
        command->status = CONFLICT;
        set_answer(command, status_problem_json(answer->problem));
    } else if (answer->clip[0] != '\0') {
        set_answer(command,
                   asprintf(&text, "{\"recording\":\"%s\"}\n", answer->clip) < 0 ? NULL : text);
    }
}

// --- Changes of the server ---

// Answers a change that failed with its error, which may contain any text.
static void conclude(struct admin_command *command, bool done, const char *error)
{
    if (done)
        return;
    command->status = CONFLICT;
    set_answer(command, status_problem_json(error));
}

static void add_later(struct admin_commands *admin, struct admin_command *command)
{
    struct late_add *late = admin->late_adds, *const end = late + LATE_ADDS;
    while (late < end && late->number != 0)
        late++;
    if (late == end) {
        refuse(command, BUSY, "too many arenas wait for others of their names to leave");
        return;
    }
    late->number = command->number;
    strcpy(late->name, command->fields[ADMIN_ARENA]);
    command->asked = command->waiting = 1;
}

// Adds the next arena whose predecessor has left. Returns false if there is none.
static bool collect_late_add(struct admin_commands *admin, uint32_t *number, bool *done)
{
    char error[ERROR_BYTES] = "this arena runs already";
    for (int i = 0; i < LATE_ADDS; i++) {
        struct late_add *late = &admin->late_adds[i];
        if (late->number == 0 || arena_table_is_leaving(admin->table, late->name))
            continue;
        *done = arena_list_find(&admin->table->running, late->name) < 0 &&
                arena_table_add_arena(admin->table, late->name, error, sizeof error);
        if (!*done)
            log_arena_error(late->name, "arena failed arena=%s: %s", late->name, error);
        *number = late->number;
        late->number = 0;
        return true;
    }
    return false;
}

static void execute_add(struct admin_commands *admin, struct admin_command *command)
{
    const char *name = command->fields[ADMIN_ARENA];
    char error[ERROR_BYTES];
    command->changes_arenas = true;
    if (find_arena(admin, command) >= 0)
        refuse(command, CONFLICT, "this arena runs already");
    else if (arena_table_is_leaving(admin->table, name))
        add_later(admin, command);
    else
        conclude(command, arena_table_add_arena(admin->table, name, error, sizeof error), error);
}

static void execute_remove(struct admin_commands *admin, struct admin_command *command)
{
    const int index = find_arena(admin, command);
    char error[ERROR_BYTES];
    if (index < 0)
        refuse(command, NOT_FOUND, no_arena);
    else
        conclude(command, arena_table_remove_arena(admin->table, index, error, sizeof error),
                 error);
}

static void execute_map(struct admin_commands *admin, struct admin_command *command)
{
    const int index = find_arena(admin, command);
    const char *path = command->fields[ADMIN_MAP];
    char error[ERROR_BYTES];
    if (index < 0)
        refuse(command, NOT_FOUND, no_arena);
    else
        conclude(command, arena_table_change_map(admin->table, index, path, error, sizeof error),
                 error);
}

static void execute_reload(struct admin_commands *admin, struct admin_command *command)
{
    struct reload_report report = {0};
    command->changes_arenas = true;
    if (!arena_table_reload(admin->table, &report))
        command->status = CONFLICT;
    set_answer(command, status_reload_json(&report));
    reload_report_clear(&report);
}

static void execute_log(struct admin_commands *admin, struct admin_command *command)
{
    (void)admin;
    enum log_level level;
    if (!log_level_find(command->fields[ADMIN_LEVEL], &level))
        refuse(command, BAD_REQUEST, "want the level error, warning or info");
    else
        log_set_level(level);
}

// --- Drain ---

static void drain(struct admin_commands *admin, struct admin_command *command, int64_t seconds)
{
    struct command message = {.kind = COMMAND_DRAIN, .on = true};
    if (seconds > 0)
        snprintf(message.text, sizeof message.text,
                 "This server ends in %lld seconds, or earlier when everybody has left.",
                 (long long)seconds);
    else
        snprintf(message.text, sizeof message.text, "This server ends when everybody has left.");
    admin_messages_ask(admin, command, &message);
    // Without an arena there is nobody to wait for.
    if (command->status == NOT_FOUND && admin->table->running.count == 0)
        refuse(command, 0, NULL);
    if (command->problem != NULL)
        return;
    if (admin->rooms != NULL)
        rooms_refuse_new(admin->rooms, true);
    admin->draining = true;
    admin->drain_waiting += command->waiting;
    admin->drain_end_ms = seconds > 0 ? monotonic_ms() + (uint64_t)seconds * 1000 : 0;
    loop_set_timer(admin->drain_end, seconds > 0 ? admin->drain_end_ms : LOOP_NEVER);
}

// Wakes the main thread, which then finds that admin_commands_is_drained.
static void end_drain(void *context)
{
    (void)context;
}

static void execute_drain(struct admin_commands *admin, struct admin_command *command)
{
    int64_t seconds;
    if (admin_commands_read_seconds(command, &seconds))
        drain(admin, command, seconds);
    else
        refuse(command, BAD_REQUEST, "want 1 to 1000000000 seconds");
}

void admin_commands_drain(struct admin_commands *admin, uint32_t seconds)
{
    struct admin_command command = {0}; // number 0: nobody waits for its answers
    drain(admin, &command, seconds);
}

bool admin_commands_is_draining(const struct admin_commands *admin)
{
    return admin->draining;
}

bool admin_commands_is_drained(const struct admin_commands *admin)
{
    const struct arena_list *list = &admin->table->running;
    if (!admin->draining)
        return false;
    if (admin->drain_end_ms > 0 && monotonic_ms() >= admin->drain_end_ms)
        return true;
    // An arena that has not answered may have admitted a player whom it has not counted yet.
    uint32_t players = admin->drain_waiting;
    for (int i = 0; i < list->count; i++)
        players += arena_playing(list->arenas[i]);
    return players == 0;
}

// --- Recordings ---

static void execute_delete_recording(struct admin_commands *admin, struct admin_command *command)
{
    admin_recordings_change(admin->table->recorder, RECORDER_DELETE, command);
}

static void execute_keep_recording(struct admin_commands *admin, struct admin_command *command)
{
    admin_recordings_change(admin->table->recorder, RECORDER_KEEP, command);
}

static void execute_unkeep_recording(struct admin_commands *admin, struct admin_command *command)
{
    admin_recordings_change(admin->table->recorder, RECORDER_UNKEEP, command);
}

// --- Bans ---

const char *admin_commands_ban(struct admin_commands *admin, const struct ban *ban)
{
    return admin_bans_add(admin->table, admin->bans, ban);
}

static void execute_ban(struct admin_commands *admin, struct admin_command *command)
{
    admin_bans_ban(admin->table, admin->bans, command);
}

bool admin_commands_is_storing(const struct admin_commands *admin,
                               const struct admin_command *command)
{
    return (command->changes_arenas && arena_table_is_marking_tokens(admin->table)) ||
           (command->changes_bans && ban_book_is_storing(admin->bans, command->change));
}

void admin_commands_answer_bans(struct admin_commands *admin, struct admin_command *command)
{
    admin_bans_answer(admin->bans, command);
}

static void execute_preview(struct admin_commands *admin, struct admin_command *command)
{
    admin_bans_preview(admin->table, admin->bans, command);
}

static void execute_unban(struct admin_commands *admin, struct admin_command *command)
{
    admin_bans_unban(admin->table, admin->bans, command);
}

// --- Queries ---

static void execute_status(struct admin_commands *admin, struct admin_command *command)
{
    set_answer(command, status_json(admin->view, monotonic_ms()));
}

static void execute_players(struct admin_commands *admin, struct admin_command *command)
{
    set_answer(command, status_players_json(&admin->table->running));
}

static void execute_bans(struct admin_commands *admin, struct admin_command *command)
{
    admin_bans_list(admin->bans, command);
}

static void execute_maps(struct admin_commands *admin, struct admin_command *command)
{
    set_answer(command, status_maps_json(admin->table->config));
}

// --- Routes ---

enum {
    ARENA = 1 << ADMIN_ARENA,
    PLAYER = 1 << ADMIN_PLAYER,
    TEXT = 1 << ADMIN_TEXT,
    REASON = 1 << ADMIN_REASON,
    ADDRESS = 1 << ADMIN_ADDRESS,
    SECONDS = 1 << ADMIN_SECONDS,
    MAP = 1 << ADMIN_MAP,
    LEVEL = 1 << ADMIN_LEVEL,
    RECORDING = 1 << ADMIN_RECORDING,
    WIDE = 1 << ADMIN_WIDE,
    FROM = 1 << ADMIN_FROM,
};

static const char no_vote[] = "no vote is running";
static const char no_player[] = "no client plays as this player";

static const struct admin_commands_route routes[] = {
    {.method = "GET", .path = "/status", .execute = execute_status},
    {.method = "GET", .path = "/players", .execute = execute_players},
    {.method = "GET", .path = "/bans", .execute = execute_bans},
    {.method = "GET", .path = "/maps", .execute = execute_maps},
    {.method = "POST",
     .path = "/say",
     .execute = admin_messages_say,
     .needs = TEXT,
     .takes = ARENA,
     .failure = "the event queue is full"},
    {.method = "POST",
     .path = "/kick",
     .execute = admin_messages_kick,
     .needs = ARENA | PLAYER,
     .takes = REASON,
     .failure = no_player},
    {.method = "POST",
     .path = "/mute",
     .execute = admin_messages_mute,
     .needs = ARENA | PLAYER,
     .failure = no_player},
    {.method = "POST",
     .path = "/unmute",
     .execute = admin_messages_unmute,
     .needs = ARENA | PLAYER,
     .failure = no_player},
    {.method = "POST",
     .path = "/ban",
     .execute = execute_ban,
     .takes = ADDRESS | ARENA | PLAYER | SECONDS | REASON | WIDE | FROM},
    {.method = "POST",
     .path = "/ban/preview",
     .execute = execute_preview,
     .takes = ADDRESS | ARENA | PLAYER | SECONDS | REASON | WIDE | FROM,
     .is_question = true},
    {.method = "POST",
     .path = "/unban",
     .execute = execute_unban,
     .needs = ADDRESS,
     .failure = "no such ban"},
    {.method = "POST", .path = "/drain", .execute = execute_drain, .takes = SECONDS},
    {.method = "POST",
     .path = "/arena/add",
     .execute = execute_add,
     .needs = ARENA,
     .failure = "the arena could not be added, see the log"},
    {.method = "POST", .path = "/arena/remove", .execute = execute_remove, .needs = ARENA},
    {.method = "POST", .path = "/arena/pause", .execute = admin_messages_pause, .needs = ARENA},
    {.method = "POST", .path = "/arena/resume", .execute = admin_messages_resume, .needs = ARENA},
    {.method = "POST",
     .path = "/vote/cancel",
     .execute = admin_messages_vote_cancel,
     .needs = ARENA,
     .failure = no_vote},
    {.method = "POST",
     .path = "/vote/pass",
     .execute = admin_messages_vote_pass,
     .needs = ARENA,
     .failure = no_vote},
    {.method = "POST",
     .path = "/vote/fail",
     .execute = admin_messages_vote_fail,
     .needs = ARENA,
     .failure = no_vote},
    {.method = "POST", .path = "/arena/map", .execute = execute_map, .needs = ARENA | MAP},
    {.method = "POST",
     .path = "/arena/clip",
     .execute = execute_clip,
     .needs = ARENA,
     .takes = SECONDS},
    {.method = "POST", .path = "/reload", .execute = execute_reload},
    {.method = "POST", .path = "/log", .execute = execute_log, .needs = LEVEL},
    {.method = "POST",
     .path = "/recording/delete",
     .execute = execute_delete_recording,
     .needs = RECORDING},
    {.method = "POST",
     .path = "/recording/keep",
     .execute = execute_keep_recording,
     .needs = RECORDING},
    {.method = "POST",
     .path = "/recording/unkeep",
     .execute = execute_unkeep_recording,
     .needs = RECORDING},
};

#define ROUTES (sizeof routes / sizeof *routes)

const struct admin_commands_route *admin_commands_find(const char *path, const char *method,
                                                       bool *path_is_known)
{
    *path_is_known = false;
    for (size_t i = 0; i < ROUTES; i++) {
        if (strcmp(path, routes[i].path) != 0)
            continue;
        *path_is_known = true;
        if (strcmp(method, routes[i].method) == 0)
            return &routes[i];
    }
    return NULL;
}

bool admin_commands_changes(const struct admin_commands_route *route)
{
    return strcmp(route->method, "POST") == 0 && !route->is_question;
}

void admin_commands_execute(struct admin_commands *admin, struct admin_command *command)
{
    for (int i = 0; i < ADMIN_FIELDS; i++) {
        const uint32_t bit = UINT32_C(1) << i;
        const bool given = command->fields[i][0] != '\0';
        if (!given && (command->route->needs & bit) != 0)
            refuse(command, BAD_REQUEST, "a field is missing");
        if (given && ((command->route->needs | command->route->takes) & bit) == 0)
            refuse(command, BAD_REQUEST, "this command does not take one of the fields");
    }
    if (command->problem != NULL)
        return;
    command->number = ++admin->next_number;
    command->route->execute(admin, command);
}

// --- Lifetime ---

struct admin_commands *admin_commands_open(struct loop *loop, struct arena_table *table,
                                           struct rooms *rooms, char *error, size_t capacity)
{
    struct admin_commands *admin = calloc(1, sizeof *admin);
    snprintf(error, capacity, "out of memory");
    if (admin == NULL)
        return NULL;
    admin->table = table;
    admin->rooms = rooms;
    admin->drain_end = loop_add_timer(loop, 0, end_drain, NULL);
    if (admin->drain_end != NULL)
        admin->bans = ban_book_open(&table->running, table->store, error, capacity);
    if (admin->bans != NULL) {
        admin->ban_source = ban_source_open(loop, table, admin->bans);
        return admin;
    }
    admin_commands_close(admin);
    return NULL;
}

void admin_commands_close(struct admin_commands *admin)
{
    if (admin == NULL)
        return;
    ban_source_close(admin->ban_source);
    ban_book_close(admin->bans);
    loop_remove(admin->drain_end);
    free(admin);
}

void admin_commands_serve_status(struct admin_commands *admin, const struct status_view *view)
{
    admin->view = view;
}

const struct ban_source *admin_commands_ban_source(const struct admin_commands *admin)
{
    return admin->ban_source;
}

const struct arena_list *admin_commands_arenas(const struct admin_commands *admin)
{
    return &admin->table->running;
}

bool admin_commands_collect_from(struct admin_commands *admin, struct arena *arena,
                                 uint32_t *number, bool *done)
{
    const struct command *answer;
    while ((answer = mailbox_completed(arena_mailbox(arena))) != NULL) {
        const struct command message = *answer;
        mailbox_release(arena_mailbox(arena));
        *number = message.request;
        *done = message.done || message.kind == COMMAND_BANS;
        if (message.kind == COMMAND_BANS)
            ban_book_acknowledge(admin->bans, arena, message.bans);
        if (message.kind == COMMAND_DRAIN) {
            assert(admin->drain_waiting > 0);
            admin->drain_waiting--;
        }
        if (message.request != 0)
            return true;
    }
    return false;
}

bool admin_commands_collect(struct admin_commands *admin, uint32_t *number, bool *done)
{
    ban_book_publish(admin->bans, 0);
    const struct arena_list *list = &admin->table->running;
    for (int i = 0; i < list->count; i++)
        if (admin_commands_collect_from(admin, list->arenas[i], number, done))
            return true;
    return collect_late_add(admin, number, done);
}

void admin_commands_forget(struct admin_commands *admin, struct arena *arena)
{
    struct command *message;
    while ((message = mailbox_peek(arena_mailbox(arena))) != NULL) {
        message->done = false;
        mailbox_complete(arena_mailbox(arena));
    }
    ban_book_forget(admin->bans, arena);
}
