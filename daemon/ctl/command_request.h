// SPDX-License-Identifier: MIT
// Makes the request of a command of raimd from the words and options of a command line: a JSON body
// with the fields of its row.
#pragma once

#include "commands.h"

// Writes the synopsis of a row: "ARENA PLAYER [REASON]".
void command_request_synopsis(const struct command_row *row, char *synopsis, size_t capacity);

// Makes the path and the body, which the caller frees, of a call; a GET has no body. Returns false
// with the reason in `problem`.
bool command_request_make(const struct call *call, char path[COMMAND_PATH_BYTES], char **body,
                          const char **problem);
