// SPDX-License-Identifier: MIT
// Who commanded what: a line in the log and an event for each executed command, whoever gave it.
// Main thread only.
#pragma once

#include "server_events.h"

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
