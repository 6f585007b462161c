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
    uint32_t executed;       // commands that are not answered yet
};

// Executes every command in the mailbox.
void arena_commands_run(struct arena_commands *commands, struct mailbox *mailbox,
                        struct raim_match *match, struct transport *transport);

// Answers the executed commands. Call it when the status shows their effect.
void arena_commands_answer(struct arena_commands *commands, struct mailbox *mailbox);

// Checks a new connection, and disconnects it with the reason if its address is banned.
void arena_commands_receive(struct arena_commands *commands, struct raim_match *match,
                            const struct transport *transport, uint32_t peer);
