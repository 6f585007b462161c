// SPDX-License-Identifier: MIT
// Executes commands and returns their answers: checks their fields, posts messages to arenas,
// changes the ban list, the arenas and the server, and waits for answers: two seconds for arenas,
// one second for the store. Every executed command that changes something is logged. Of HTTP it
// knows only status codes. Main thread only.
#pragma once

#include "arena.h"
#include "arena_table.h"
#include "bans.h"
#include "command_table.h"
#include "on_demand.h"
#include "server_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Each executed command is a line in the log and an event, with who gave it.
// Main thread only.

// Bytes of who gave it with the closing NUL: "root", "uid:1000", a certificate's name, an address,
// an admin's name.
#define COMMAND_BY_BYTES 64

struct command_note {
    const char *by;
    const char *via;     // "raimctl", "page", "api", "rcon" or "game"
    const char *command; // "kick", "arena-pause"
    const char *arena;   // "": none
    const char *player;  // an id as text; "": none
    const char *fields;  // " player=1029 reason=\"spam\"", for the log and the control socket alone
};

// Takes events NULL.
void command_log_write(struct server_events *events, const struct command_note *note);

// Copies a name of any bytes as who gave it: what is not printable ASCII, a blank, a quote or a
// backslash becomes "_".
void command_log_set_by(char by[COMMAND_BY_BYTES], const char *name);

#define COMMAND_FIELD_BYTES 512 // of a value with the closing NUL; longer ones are rejected

struct ban_source;
struct commands;
struct loop;
struct status_view;

// A command and its result. Zeroed, with the row, fields, `by`, `via` and `done` filled in by the
// caller, whose memory it is.
struct command_call {
    const struct command_row *row;
    char fields[COMMAND_FIELDS][COMMAND_FIELD_BYTES]; // as text; "": not given
    const char *body;                                 // of a MATCHMAKER's command: JSON, borrowed
    size_t body_bytes;
    char by[COMMAND_BY_BYTES]; // who gave it
    const char *via;           // how, see struct command_note; a literal

    // Called once, when the outcome is known; perhaps before commands_execute returns.
    void (*done)(struct command_call *call);

    // The result.
    unsigned status;        // of HTTP; 0: 200
    const char *problem;    // what is wrong, a printable text; NULL: nothing, or it is in `text`
    char *text;             // the answer as JSON; NULL: none. The caller frees it
    unsigned retry_after_s; // with the status 503: when to try again; else 0
    uint32_t asked;         // arenas that it was meant for
    uint32_t answered;      // arenas that have done it

    // Of commands.c.
    uint32_t number;  // identifies it in the answers of arenas
    uint32_t waiting; // arenas that have not answered yet
    uint64_t change;  // of the store that the answer waits for; 0: none
    bool changes_bans;
    bool changes_arenas; // the answer waits until access tokens are admitted, too
    bool is_waiting;
    uint64_t given_ms; // CLOCK_MONOTONIC
    struct command_call *next;
};

// Borrows `table` and `on_demand`, which may be NULL. Loads the stored bans; on failure writes the
// reason and returns NULL.
struct commands *commands_open(struct loop *loop, struct arena_table *table,
                               struct on_demand *on_demand, char *error, size_t capacity);

// Finishes the commands that wait. Call it before what gave them is closed.
void commands_end(struct commands *commands);

// Takes NULL. The arenas must have ended, and no command may wait.
void commands_close(struct commands *commands);

// Borrows what the status is made of. Call it before the first command.
void commands_serve_status(struct commands *commands, const struct status_view *view);

// The fetched ban list, for the status; NULL: none is configured.
const struct ban_source *commands_ban_source(const struct commands *commands);

// The arenas that run.
const struct arena_list *commands_arenas(const struct commands *commands);

// The requests for arenas; NULL: none are taken.
struct on_demand *commands_on_demand(const struct commands *commands);

// Executes a command, or posts it to the arenas.
void commands_execute(struct commands *commands, struct command_call *call);

// Forgets a command that may be waiting; `done` is not called.
void commands_withdraw(struct commands *commands, struct command_call *call);

// Finishes the commands that have their answers, or whose time is over, and posts a new ban list to
// the arenas that lack it. The loop does this whenever there may be an answer.
void commands_run(struct commands *commands);

// Call it for a released arena before it is destroyed: commands that wait for it count it as not
// done, and it counts as reading no ban list.
void commands_forget(struct commands *commands, struct arena *arena);

// Bans a network by the decision of others than the operator. Returns NULL, or what went wrong as a
// printable text.
const char *commands_ban(struct commands *commands, const struct ban *ban);

// Begins a drain of every arena, which ends after `seconds`, or when everybody has left; 0: only
// then.
void commands_drain(struct commands *commands, uint32_t seconds);

// Whether a drain has begun.
bool commands_is_draining(const struct commands *commands);

// Whether a drain has begun and is complete: every arena has begun it and has no players, or its
// deadline has passed.
bool commands_is_drained(const struct commands *commands);

// Reads the fields of a command from the body of a request: a JSON object with the members that
// command_schema.h describes. Any thread.

// Fills in the fields of `call` from its body; an empty body has none. Returns NULL, or what is
// wrong, a printable text.
const char *command_body_read(struct command_call *call);
