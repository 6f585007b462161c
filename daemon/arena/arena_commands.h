// SPDX-License-Identifier: MIT
// Does in an arena what the operator asks for, and keeps the bans in force. The owning worker's
// side of an arena's commands.
#pragma once

#include "arena_command.h"
#include "mailbox.h"
#include "transport.h"

// All zero at first.
struct arena_commands {
    const struct bans *bans; // the sender's; NULL: none
};

// Does what the commands in the mailbox say, and answers each. True when there were any.
bool arena_commands_run(struct arena_commands *commands, struct mailbox *mailbox,
                        struct raim_match *match, struct transport *transport);

// Why an address (machine's byte order) is banned, for people; NULL where it is not.
const char *arena_commands_find_ban(const struct arena_commands *commands, uint32_t address);

// Turns a connection away that has just begun, where its address is banned.
void arena_commands_receive(struct arena_commands *commands, struct raim_match *match,
                            const struct transport *transport, uint32_t peer);
