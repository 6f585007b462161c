// SPDX-License-Identifier: MIT
// Executes the operator's commands in an arena, and enforces its bans. Thread rule: the worker that
// owns the arena.
#pragma once

#include "arena_command.h"
#include "mailbox.h"
#include "transport.h"

// All zero at first.
struct arena_commands {
    const struct bans *bans; // owned by the sender; NULL: none
};

// Executes and answers every command in the mailbox. Returns true if there was any.
bool arena_commands_run(struct arena_commands *commands, struct mailbox *mailbox,
                        struct raim_match *match, struct transport *transport);

// The reason for which an address (host byte order) is banned, a printable text; NULL if it is not
// banned.
const char *arena_commands_find_ban(const struct arena_commands *commands, struct ip_address ip);

// Checks a new connection, and disconnects it with the reason if its address is banned.
void arena_commands_receive(struct arena_commands *commands, struct raim_match *match,
                            const struct transport *transport, uint32_t peer);
