// SPDX-License-Identifier: MIT
// raimctl recording list and get: each returns the exit status.
#pragma once

#include "commands.h"

int recording_list(const struct call *call);
int recording_get(const struct call *call);

// Prints the name of a recording that an answer has in "recording". Returns false if it has none.
bool recordings_print_name(const char *json, FILE *out);
