// SPDX-License-Identifier: MIT
// Who ordered what: a line in the log and an event for each executed order, whoever gave it. Main
// thread only.
#pragma once

#include "server_events.h"

// Bytes of a giver with the closing NUL: "root", "uid:1000", a certificate's name, an address, an
// admin's name.
#define ORDER_BY_BYTES 64

struct order_note {
    const char *by;
    const char *via;     // "raimctl", "api", "rcon" or "game"
    const char *command; // "kick"
    const char *arena;   // "": none
    const char *player;  // an id as text; "": none
    const char *fields;  // " player=1029 reason=\"spam\"", for the log and the control socket alone
};

// Takes events NULL.
void order_log_write(struct server_events *events, const struct order_note *note);

// Copies a name of any bytes as a giver: what is not printable ASCII, a blank, a quote or a
// backslash becomes "_".
void order_log_set_by(char by[ORDER_BY_BYTES], const char *name);
