// SPDX-License-Identifier: MIT
// raimctl ban: shows whom a ban would disconnect, asks where these are several, and bans.
#pragma once

#include "commands.h"

int ban_run(const struct call *call);

// Sends an order that changes the bans, and says so if the change is not stored. Returns an exit
// status.
int ban_send(const struct call *call, const struct request *request);
