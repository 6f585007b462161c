// SPDX-License-Identifier: MIT
// Reads the fields of a command from the body of a request: a JSON object with the members that
// command_schema.h describes. Any thread.
#pragma once

#include "commands.h"

// Fills in the fields of `call` from its body; an empty body has none. Returns NULL, or what is
// wrong, a printable text.
const char *command_body_read(struct command_call *call);
