// SPDX-License-Identifier: MIT
// The operator's commands that arenas execute: about their chat, players, pauses and votes. Main
// thread only.
#pragma once

#include "admin_commands.h"
#include "arena_command.h"

// Posts a message to the arena that the command names, or to every arena. Its answers are returned
// by admin_commands_collect.
void admin_messages_ask(const struct admin_commands *admin, struct admin_command *command,
                        const struct command *message);

// Each executes a command, or sets its problem.
void admin_messages_say(struct admin_commands *admin, struct admin_command *command);
void admin_messages_kick(struct admin_commands *admin, struct admin_command *command);
void admin_messages_mute(struct admin_commands *admin, struct admin_command *command);
void admin_messages_unmute(struct admin_commands *admin, struct admin_command *command);
void admin_messages_pause(struct admin_commands *admin, struct admin_command *command);
void admin_messages_resume(struct admin_commands *admin, struct admin_command *command);
void admin_messages_vote_cancel(struct admin_commands *admin, struct admin_command *command);
void admin_messages_vote_pass(struct admin_commands *admin, struct admin_command *command);
void admin_messages_vote_fail(struct admin_commands *admin, struct admin_command *command);
