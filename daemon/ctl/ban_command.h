// SPDX-License-Identifier: MIT
// raimctl ban: shows whom a ban would disconnect, asks where these are several, and bans.
#pragma once

#include "commands.h"

int ban_run(const struct call *call);

// Prints nothing of the answer to a command, but an error if it tells that changed bans are not
// stored. Returns false if it cannot be read.
bool ban_print_done(const char *json, FILE *out);
