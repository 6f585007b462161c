// SPDX-License-Identifier: MIT
// Orders as lines of text, of RCON and of admins in the game: "kick ada spam". One table has each
// verb with its level and fields. A line begins with "@ARENA" where it means another arena than the
// one that its giver plays in, or where several run. Pure but for the status of the arenas. Main
// thread only.
#pragma once

#include "admin_commands.h"

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_LINE_ANSWER_BYTES 65536

// Who gives a line, and where.
struct command_line_giver {
    const char *by, *via;
    enum config_admin_level level;
    const char *arena; // that the giver plays in; "": none
};

// Reads a line. Returns true with the route, fields, `by` and `via` of `command`, which is to be
// executed; or false with what there is to answer, lines that end in a line feed: what is wrong
// with it, or what it asks for. `command` is zeroed by the function.
bool command_line_read(const struct arena_list *arenas, const struct command_line_giver *giver,
                       const char *line, struct admin_command *command,
                       char answer[COMMAND_LINE_ANSWER_BYTES]);

// The answer to an executed command, as above.
void command_line_answer(const struct admin_command *command,
                         char answer[COMMAND_LINE_ANSWER_BYTES]);
