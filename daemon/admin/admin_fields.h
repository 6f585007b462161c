// SPDX-License-Identifier: MIT
// The fields of a command: their names in a form, what they are worth, and how they are logged.
// Each value is what the operator typed until it is read here. Main thread only.
#pragma once

#include "admin_commands.h"
#include "match.h"

#include <stdbool.h>
#include <stdint.h>

// The memory of a field by its name; NULL for unknown ones.
char *admin_commands_field(struct admin_command *command, const char *name);

// A player's id; false for anything else.
bool admin_commands_read_player(const struct admin_command *command, raim_player_id *player);

// A duration of 1 to 1000000000 seconds, or 0 where none is given; false for anything else.
bool admin_commands_read_seconds(const struct admin_command *command, int64_t *seconds);

// A text that players can be shown, copied into RAIM_MAX_TEXT_BYTES + 1, or "" where none is given;
// false for anything else.
bool admin_commands_read_text(const struct admin_command *command,
                              enum admin_commands_field_kind field, char *text);

// Logs a command that changed something, with the fields that were given.
void admin_commands_log(const struct admin_command *command);
