// SPDX-License-Identifier: MIT
// Does in an arena what the operator asks for: a mailbox of commands, and the bans in force.
#pragma once

#include "arena_command.h"
#include "mailbox.h"
#include "transport.h"

struct arena_commands {
    struct mailbox mailbox;  // of struct command
    const struct bans *bans; // the sender's; NULL: none
};

// False when memory runs out; can be destroyed then, too, as can one that is all zero.
bool arena_commands_create(struct arena_commands *steward);
void arena_commands_destroy(struct arena_commands *steward);

// --- The owning worker's side ---

// Does what is in the mailbox.
void arena_commands_run(struct arena_commands *steward, struct raim_match *match,
                        struct transport *transport);

// Why an address (machine's byte order) is banned, for people; NULL where it is not.
const char *arena_commands_find_ban(const struct arena_commands *steward, uint32_t address);

// Turns a connection away that has just begun, where its address is banned.
void arena_commands_receive(struct arena_commands *steward, struct raim_match *match,
                            const struct transport *transport, uint32_t peer);
