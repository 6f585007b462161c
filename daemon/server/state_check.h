// SPDX-License-Identifier: MIT
// raimd --check-state: what a start would take over from the last process, which may still run.
#pragma once

struct config;

// Reads $STATE_DIRECTORY and $RUNTIME_DIRECTORY as a start does, opens no port, changes no file,
// and logs what it finds. Returns the exit status: 0 if all of it is taken over, else 1.
int state_check(struct config *config);
