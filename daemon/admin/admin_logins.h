// SPDX-License-Identifier: MIT
// Admins in the game: the lines that players type behind "/admin". They log in by a password or by
// a key, over an encrypted connection, and then give commands as text_commands.h reads them. What a
// player is logged in as is part of the match, and ends with the connection. Main thread only.
#pragma once

#include "arena_feed.h"
#include "commands.h"
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
                            const struct arena_feed_item *item);

// Takes the outcome of a password. Returns false if it is not one of an admin's.
bool admin_logins_take_password(struct admin_logins *logins, uint32_t number, bool is_right);

// Call it for an arena that has ended, before it is destroyed.
void admin_logins_forget(struct admin_logins *logins, struct arena *arena);
