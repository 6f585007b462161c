// SPDX-License-Identifier: MIT
// Internals shared by the functions of commands. Each command is a row of command_rows.h and lies
// in the file of its subject.
#pragma once

#include "arena_command.h"
#include "ban_source.h"
#include "ban_store.h"
#include "commands.h"
#include "http_answer.h"
#include "loop.h"
#include "match.h"
#include "watchers.h"

enum { COMMAND_LATE_ADDS = 8 };

// An arena to add once its predecessor of the same name has left.
struct late_add {
    uint32_t number; // of the command; 0: none
    char name[COMMAND_FIELD_BYTES];
};

struct commands {
    struct arena_table *table;
    struct on_demand *on_demand; // NULL: none
    uint32_t next_number;
    struct ban_store *bans;
    struct ban_source *ban_source; // NULL: none
    const struct status_view *view;
    bool draining;
    uint32_t drain_waiting; // arenas that have not answered the drain yet
    uint64_t drain_end_ms;  // CLOCK_MONOTONIC; 0: no deadline
    struct loop_source *drain_end;
    struct late_add late_adds[COMMAND_LATE_ADDS];
    struct command_call *waiting;
    struct loop_source *deadline;    // of the first that waits
    struct watcher answered, stored; // perhaps
};

// Executes a command whose fields are good: sets its result, or counts whom it waits for.
typedef void command_function(struct commands *commands, struct command_call *call);

#define COMMAND(name, scope, level, needs, takes, function, failure, help)                         \
    command_function function;
#define REQUEST(name, scope, method, path, needs, takes, function, answer, help)                   \
    command_function function;
#include "command_rows.h"
#undef COMMAND
#undef REQUEST

// Sets the problem of a command that is not done. Returns false.
bool command_reject(struct command_call *call, unsigned status, const char *problem);

// Sets the answer of a command and takes its text; NULL means that memory ran out.
void command_set_answer(struct command_call *call, char *text);

// Answers a command that failed with an error, which may contain any text.
void command_set_error(struct command_call *call, unsigned status, const char *error);

// The index of the running arena that the command names, or -1 after rejecting it.
int command_find_arena(const struct commands *commands, struct command_call *call);

// A number that was checked; 0: the field is not given.
int64_t command_number(const struct command_call *call, enum command_field field);

// Copies a text that can be shown to players into `text`, of RAIM_MAX_TEXT_BYTES + 1 bytes; "" for
// a field that is not given. Rejects the command and returns false for anything else.
bool command_text(struct command_call *call, enum command_field field, char *text);

// Posts a message to the mailboxes of the arenas that the command names.
void command_post(const struct commands *commands, struct command_call *call,
                  const struct command *message);

// Adds the next arena whose predecessor has left. Returns false if there is none.
bool command_collect_late_add(struct commands *commands, uint32_t *number, bool *done);

// Writes the outcome into a command that has changed the bans, or the recorder's answer to it.
void command_answer_bans(struct commands *commands, struct command_call *call);
void command_answer_recorder(struct command_call *call, const struct recorder_answer *answer);
