// SPDX-License-Identifier: MIT
// How the programs raimd and raim-web begin and end.
#pragma once

#include <stdbool.h>

// Opens closed standard streams on /dev/null. Otherwise a socket would get the number of one, and
// the log would be sent to its peer. Call it before anything is opened.
bool program_open_streams(void);

// Signals are read by the loop, so that no code runs in a signal handler. They are blocked before
// any thread starts, so that every thread inherits the mask.
void program_block_signals(void);

// The last line of `raimd --check-state`, by which any version of raimctl knows that a raimd has
// answered: with exit status 0, or 1.
#define PROGRAM_TAKES_ALL "all is taken over"
#define PROGRAM_TAKES_PART "not all is taken over: see above"

// The exit status of a program that has printed to stdout. Reports what could not be written.
int program_end_output(const char *program);
