// SPDX-License-Identifier: MIT
// The figures of an audit in the units that people read: one list drives the table and the JSON.
// Thread rule: the functions keep no state; any thread may call them.
#pragma once

#include "audit_measures.h"

#define AUDIT_FIGURES 72 // most of a player

struct audit_figure {
    const char *group; // heading of the table, key of an object in JSON
    const char *key;   // in JSON
    const char *title; // of the column; NULL: in JSON alone
    int decimals;
    double value; // rounded to the decimals; NAN: not known, because nothing was counted
};

// Fills the figures of a player, of the same number and order for each. Returns their number.
uint32_t audit_figures(const struct audit_player *player, uint32_t tick_hz,
                       struct audit_figure figures[AUDIT_FIGURES]);
