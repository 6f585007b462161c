// SPDX-License-Identifier: MIT
// Commands as lines of text, of RCON and of admins in the game: "kick ada spam". The words of a
// line are fields in the order of command_table.h, and "arena" in front of a name may be left out.
// A line begins with "@ARENA" where it means another arena than the one that its admin plays in, or
// where several run. Pure but for the status of the arenas. Main thread only.
#pragma once

#include "commands.h"

#include <stdbool.h>
#include <stddef.h>

#define TEXT_COMMANDS_ANSWER_BYTES 65536

// Who gives a line, and where.
struct text_commands_source {
    const char *by, *via;
    enum config_admin_level level;
    const char *arena; // that the admin plays in; "": none
};

// Reads a line. Returns true with the row, fields, `by` and `via` of `call`, which is to be
// executed; or false with what there is to answer, lines that end in a line feed: what is wrong
// with it, or what it asks for. `call` is zeroed by the function.
bool text_commands_read(const struct arena_list *arenas, const struct text_commands_source *source,
                        const char *line, struct command_call *call,
                        char answer[TEXT_COMMANDS_ANSWER_BYTES]);

// The answer to an executed command, as above.
void text_commands_answer(const struct command_call *call, char answer[TEXT_COMMANDS_ANSWER_BYTES]);
