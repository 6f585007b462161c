// SPDX-License-Identifier: MIT
// raimctl password: makes the line of the configuration that verifies a password. It does not
// contact the daemon.
#pragma once

#include <stdbool.h>

// Reads a password from the standard input, twice and without echo if that is a terminal, and
// prints the line. Returns false with the reason in `problem`.
bool password_prompt(const char **problem);
