// SPDX-License-Identifier: MIT
// The fields of a command: their names in a form, their parsers, and their log line. A value is
// untrusted text until it is parsed here. Main thread only.
#pragma once

#include "admin_commands.h"
#include "match.h"

#include <stdbool.h>
#include <stdint.h>

// The buffer of a field by its name; NULL for an unknown one.
char *admin_commands_field(struct admin_command *command, const char *name);

// Parses a player's id. Returns false for anything else.
bool admin_commands_read_player(const struct admin_command *command, raim_player_id *player);

// Parses a duration of 1 to 1000000000 seconds; 0 for an empty field. Returns false for anything
// else.
bool admin_commands_read_seconds(const struct admin_command *command, int64_t *seconds);

// Copies a text that can be shown to players into `text`, of RAIM_MAX_TEXT_BYTES + 1 bytes; "" for
// an empty field. Returns false for anything else.
bool admin_commands_read_text(const struct admin_command *command,
                              enum admin_commands_field_kind field, char *text);

// Writes the non-empty fields of a command as ` name=value`, texts in quotes.
void admin_commands_print_fields(const struct admin_command *command, char *text, size_t capacity);
