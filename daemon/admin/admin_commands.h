// SPDX-License-Identifier: MIT
// What the operator may ask for, and what becomes of it: commands to arenas, the list of bans, the
// end of the server. Without a word of HTTP but its paths and statuses. Main thread only.
#pragma once

#include "arena.h"
#include "arena_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADMIN_FIELD_BYTES 512 // of a value with the closing NUL; no field may be longer

enum admin_commands_field_kind {
    ADMIN_ARENA,   // a name; "" where it may be left out: every arena
    ADMIN_PLAYER,  // an id
    ADMIN_TEXT,    // what is said
    ADMIN_REASON,  // why; may always be left out
    ADMIN_ADDRESS, // an IPv4 address, or a network in CIDR notation
    ADMIN_SECONDS, // a duration; "": without an end
    ADMIN_MAP,     // the path of a map file
    ADMIN_LEVEL,   // of the log
    ADMIN_FIELDS
};

struct admin_commands;
struct admin_commands_route;

// One thing that is asked for. Zeroed, with its route and fields filled in by the caller.
struct admin_command {
    const struct admin_commands_route *route;
    char fields[ADMIN_FIELDS][ADMIN_FIELD_BYTES];

    uint32_t number;     // its own, in the answers to come
    uint32_t asked;      // arenas that it went to
    uint32_t waiting;    // of these, those whose answer is to come; the caller counts down
    uint32_t done;       // of these, those that did it; the caller counts up
    unsigned status;     // of HTTP, with `problem`, or with `text` where it is not 0
    const char *problem; // what is wrong with it, for people; NULL: nothing
    char *text;          // the answer, as JSON, where it is known at once; the caller frees it
};

struct admin_commands_route {
    const char *method, *path;
    void (*execute)(struct admin_commands *admin, struct admin_command *command);
    uint32_t needs, takes; // fields, as bits 1 << ADMIN_...
    const char *failure;   // the problem where no arena did it
};

// Borrows `table`. Reads the bans that are kept; on failure writes the reason and returns NULL.
struct admin_commands *admin_commands_open(struct arena_table *table, char *error, size_t capacity);

// Takes NULL. The arenas must not run any more.
void admin_commands_close(struct admin_commands *admin);

// NULL where there is none; `path_is_known` then tells whether the path has another method.
const struct admin_commands_route *admin_commands_find(const char *path, const char *method,
                                                       bool *path_is_known);

// Does what is asked for, or begins to.
void admin_commands_give(struct admin_commands *admin, struct admin_command *command);

// The next answer of any arena; false when there is none. Keeps the arenas' bans up to date, too.
bool admin_commands_collect(struct admin_commands *admin, uint32_t *number, bool *done);

// The next answer of one arena; likewise.
bool admin_commands_collect_from(struct admin_commands *admin, struct arena *arena,
                                 uint32_t *number, bool *done);

// An arena that runs no more is about to be destroyed: what it was asked and has not done comes
// back undone, by admin_commands_collect_from, and it reads no bans.
void admin_commands_forget(struct admin_commands *admin, struct arena *arena);

// Milliseconds until the deadline of a drain, or -1.
int admin_commands_timeout_ms(const struct admin_commands *admin);

// Whether a drain was asked for and every arena has begun it and has no player left, or its time is
// up.
bool admin_commands_is_drained(const struct admin_commands *admin);
