// SPDX-License-Identifier: MIT
// What the operator may ask for, and what becomes of it: commands to arenas, the list of bans, the
// end of the server. Without a word of HTTP but its paths and statuses. Main thread only.
#pragma once

#include "acts.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDERS_FIELD_BYTES 512 // of a value with the closing NUL; no field may be longer

enum orders_field_kind {
    ORDERS_ARENA,   // a name; "" where it may be left out: every arena
    ORDERS_PLAYER,  // an id
    ORDERS_TEXT,    // what is said
    ORDERS_REASON,  // why; may always be left out
    ORDERS_ADDRESS, // an IPv4 address, or a network in CIDR notation
    ORDERS_SECONDS, // a duration; "": without an end
    ORDERS_MAP,     // the path of a map file
    ORDERS_LEVEL,   // of the log
    ORDERS_FIELDS
};

struct orders;
struct orders_route;

// One thing that is asked for. Zeroed, with its route and fields filled in by the caller.
struct order {
    const struct orders_route *route;
    char fields[ORDERS_FIELDS][ORDERS_FIELD_BYTES];

    uint32_t number;     // its own, in the answers to come
    uint32_t asked;      // arenas that it went to
    uint32_t waiting;    // of these, those whose answer is to come; the caller counts down
    uint32_t done;       // of these, those that did it; the caller counts up
    unsigned status;     // of HTTP, with `problem`, or with `text` where it is not 0
    const char *problem; // what is wrong with it, for people; NULL: nothing
    char *text;          // the answer, as JSON, where it is known at once; the caller frees it
};

struct orders_route {
    const char *method, *path;
    void (*give)(struct orders *orders, struct order *order);
    uint32_t needs, takes; // fields, as bits 1 << ORDERS_...
    const char *failure;   // the problem where no arena did it
};

// Borrows `source` and `acts`. Reads the bans that are kept; on failure writes the reason and
// returns NULL.
struct orders *orders_open(const struct status_source *source, const struct acts *acts, char *error,
                           size_t capacity);

// Takes NULL. The arenas must not run any more.
void orders_close(struct orders *orders);

// NULL where there is none; `path_is_known` then tells whether the path has another method.
const struct orders_route *orders_find(const char *path, const char *method, bool *path_is_known);

// The memory of a field by its name; NULL for unknown ones.
char *orders_field(struct order *order, const char *name);

// Does what is asked for, or begins to.
void orders_give(struct orders *orders, struct order *order);

// Logs an order that changed something, with the fields that were given.
void orders_log(const struct order *order);

// The next answer of any arena; false when there is none. Keeps the arenas' bans up to date, too.
bool orders_collect(struct orders *orders, uint32_t *number, bool *done);

// The next answer of one arena; likewise.
bool orders_collect_from(struct orders *orders, struct arena *arena, uint32_t *number, bool *done);

// An arena that runs no more is about to be destroyed: what it was asked and has not done comes
// back undone, by orders_collect_from, and it reads no bans.
void orders_forget(struct orders *orders, struct arena *arena);

// Milliseconds until orders_collect and orders_is_drained want to be called, though no order waits;
// -1 for no such need.
int orders_timeout_ms(const struct orders *orders);

bool orders_is_drained(const struct orders *orders);
