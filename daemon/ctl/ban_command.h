// SPDX-License-Identifier: MIT
// raimctl ban: shows whom a ban would disconnect, asks where these are several, and bans.
#pragma once

#include "commands.h"

int ban_run(const struct call *call);
