// SPDX-License-Identifier: MIT
// The command `raimctl discover`: finds arenas by UDP, without the control socket.
#pragma once

struct call;

// Returns the exit status.
int discover(const struct call *call);
