// SPDX-License-Identifier: MIT
// Admins in the game: the lines that players type after "/admin". They log in by a password or by
// a key, over an encrypted connection, and then give commands as text_commands.h reads them. What a
// player is logged in as is part of the match, and ends with the connection. The login guard
// counts wrong passwords. Main thread only.
#pragma once

#include "commands.h"
#include "event_queue.h"
#include "metric.h"
#include "password_thread.h"

#include <stdbool.h>
#include <stdint.h>

extern const struct metric_table admin_logins_metrics; // of a struct admin_logins

struct admin_logins;

// Borrows all. Returns NULL when memory runs out.
struct admin_logins *admin_logins_create(struct arena_table *table, struct commands *commands,
                                         struct password_thread *passwords);

// The number of denied logins, which RCON adds to.
uint64_t *admin_logins_denied(struct admin_logins *logins);

// Takes NULL. Withdraws the commands that wait.
void admin_logins_destroy(struct admin_logins *logins);

// Takes a line of a player, an item LINE of an arena's feed.
void admin_logins_take_line(struct admin_logins *logins, struct arena *arena,
                            const struct arena_event *item);

// Call it for an arena that has ended, before it is destroyed.
void admin_logins_forget(struct admin_logins *logins, struct arena *arena);

// Login guard: counts wrong passwords by address or by client, so that one with too many is
// rejected for some minutes. Its memory is fixed: a further key replaces the one that failed
// longest ago. Pure.

#define LOGIN_GUARD_ENTRIES 256
#define LOGIN_GUARD_MS 300000U    // after which the failures of a key are forgotten
#define LOGIN_GUARD_OF_ADDRESS 5U // wrong passwords per address
#define LOGIN_GUARD_OF_CLIENT 3U  // wrong passwords of a player's connection

struct login_guard {
    struct login_guard_entry {
        uint64_t key;
        uint32_t failures;
        uint64_t failed_ms; // the last time; 0: the entry is free
    } entries[LOGIN_GUARD_ENTRIES];
};

// Counts a wrong password of a key, and returns how many there are now. `now_ms` is above 0.
uint32_t login_guard_fail(struct login_guard *guard, uint64_t key, uint64_t now_ms);

// The wrong passwords of a key that are not forgotten.
uint32_t login_guard_failures(const struct login_guard *guard, uint64_t key, uint64_t now_ms);
