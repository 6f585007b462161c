// SPDX-License-Identifier: MIT
// Orders that ban and lift bans: of an address, a network, or a player's address. Main thread only.
#pragma once

#include "admin_commands.h"
#include "ban_book.h"

// Bans. A network that nobody means to ban is refused unless the order says so, and 0.0.0.0/0 and
// ::/0 are refused always.
void admin_bans_ban(struct arena_table *table, struct ban_book *book,
                    struct admin_command *command);

// Bans a network by the decision of others than the operator. Returns NULL, or what went wrong as a
// printable text.
const char *admin_bans_add(struct arena_table *table, struct ban_book *book, const struct ban *ban);

// Answers an order that has changed the bans: {"bans", "stored"}.
void admin_bans_answer(struct ban_book *book, struct admin_command *command);

// Answers with the network that an order would ban, and the players whom it would disconnect.
void admin_bans_preview(struct arena_table *table, struct ban_book *book,
                        struct admin_command *command);

void admin_bans_unban(struct arena_table *table, struct ban_book *book,
                      struct admin_command *command);

// Answers with the bans in force.
void admin_bans_list(struct ban_book *book, struct admin_command *command);
