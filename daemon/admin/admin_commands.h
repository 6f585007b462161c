// SPDX-License-Identifier: MIT
// The operator's commands and their execution: messages to arenas, the ban list, changes of the
// arenas, the drain. Of HTTP it knows only paths and status codes. Main thread only.
#pragma once

#include "arena.h"
#include "arena_table.h"
#include "bans.h"
#include "order_log.h"
#include "rooms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADMIN_FIELD_BYTES 512 // of a value with the closing NUL; longer ones are refused

enum admin_commands_field_kind {
    ADMIN_ARENA,     // a name; "", where allowed: every arena
    ADMIN_PLAYER,    // an id
    ADMIN_TEXT,      // a chat message
    ADMIN_REASON,    // optional everywhere
    ADMIN_ADDRESS,   // an IPv4 address, or a network in CIDR notation
    ADMIN_SECONDS,   // a duration; "": no end
    ADMIN_MAP,       // the path of a map file
    ADMIN_LEVEL,     // a log level
    ADMIN_RECORDING, // the name of a recording's file
    ADMIN_WIDE,      // "yes": a network may be as wide as nobody means it
    ADMIN_FROM,      // the operator's own address, if it is known
    ADMIN_FIELDS
};

struct admin_commands;
struct ban_source;
struct loop;
struct status_view;
struct admin_commands_route;

// A command and its result. Zeroed, with its route and fields filled in by the caller.
struct admin_command {
    const struct admin_commands_route *route;
    char fields[ADMIN_FIELDS][ADMIN_FIELD_BYTES];

    char by[ORDER_BY_BYTES]; // who gave it
    const char *via;         // how, see struct order_note; a literal

    uint32_t number;     // identifies it in the answers of arenas
    uint32_t asked;      // arenas that it was meant for
    uint32_t waiting;    // arenas that have not answered yet; the caller counts down
    uint32_t done;       // arenas that executed it; the caller counts up
    bool changes_arenas; // the answer waits until access tokens are admitted, too
    bool changes_bans;   // likewise for `change` of the store
    uint64_t change;     // see ban_book_change
    unsigned status;     // of HTTP, for `problem`, or for `text` if not 0
    const char *problem; // what is wrong with it, a printable text; NULL: nothing
    char *text;          // the answer, as JSON, if it is known at once; the caller frees it
};

struct admin_commands_route {
    const char *method, *path;
    void (*execute)(struct admin_commands *admin, struct admin_command *command);
    uint32_t needs, takes; // fields, as bits 1 << ADMIN_...
    const char *failure;   // the problem if no arena executed it
    bool is_question;      // it is no order, although it is a POST
};

// Borrows `table` and `rooms`, which may be NULL. Loads the stored bans; on failure writes the
// reason and returns NULL.
struct admin_commands *admin_commands_open(struct loop *loop, struct arena_table *table,
                                           struct rooms *rooms, char *error, size_t capacity);

// Takes NULL. The arenas must have ended.
void admin_commands_close(struct admin_commands *admin);

// Borrows what the status is made of. Call it before the first command.
void admin_commands_serve_status(struct admin_commands *admin, const struct status_view *view);

// The fetched ban list, for the status; NULL: none is configured.
const struct ban_source *admin_commands_ban_source(const struct admin_commands *admin);

// The arenas that run.
const struct arena_list *admin_commands_arenas(const struct admin_commands *admin);

// Finds a route; NULL if there is none. `path_is_known` is set if the path has another method.
const struct admin_commands_route *admin_commands_find(const char *path, const char *method,
                                                       bool *path_is_known);

// Whether commands of a route change something, and are no queries.
bool admin_commands_changes(const struct admin_commands_route *route);

// Executes a command, or posts it to the arenas.
void admin_commands_execute(struct admin_commands *admin, struct admin_command *command);

// Takes the next answer of any arena; returns false if there is none. Posts a new ban list to the
// arenas that lack it.
bool admin_commands_collect(struct admin_commands *admin, uint32_t *number, bool *done);

// Takes the next answer of one arena; returns false if there is none.
bool admin_commands_collect_from(struct admin_commands *admin, struct arena *arena,
                                 uint32_t *number, bool *done);

// Takes the recorder's answer to a command; its number is that of the command. Returns
// false if there is none.
bool admin_commands_collect_recorder(struct admin_commands *admin, struct recorder_answer *answer);

// Bans a network by the decision of others than the operator. Returns NULL, or what went wrong as a
// printable text.
const char *admin_commands_ban(struct admin_commands *admin, const struct ban *ban);

// Whether a command still waits for the store.
bool admin_commands_is_storing(const struct admin_commands *admin,
                               const struct admin_command *command);

// Writes the outcome into a command that has changed the bans.
void admin_commands_answer_bans(struct admin_commands *admin, struct admin_command *command);

// Writes it into the command.
void admin_commands_answer_recorder(struct admin_command *command,
                                    const struct recorder_answer *answer);

// Call it for a released arena before it is destroyed. Its unanswered commands are returned as not
// done by admin_commands_collect_from, and it counts as reading no ban list.
void admin_commands_forget(struct admin_commands *admin, struct arena *arena);

// Orders a drain of every arena, which ends after `seconds`, or when everybody has left; 0: only
// then.
void admin_commands_drain(struct admin_commands *admin, uint32_t seconds);

// Whether a drain was ordered.
bool admin_commands_is_draining(const struct admin_commands *admin);

// Whether a drain was ordered and is complete: every arena has begun it and has no players, or its
// deadline has passed.
bool admin_commands_is_drained(const struct admin_commands *admin);
