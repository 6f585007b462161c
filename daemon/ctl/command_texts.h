// SPDX-License-Identifier: MIT
// The table of commands for shells and for the manual.
#pragma once

#include <stdio.h>

enum { EXIT_COMPLETE_FILES = 2 };

// Prints what may stand at the place of the last of the words after "raimctl", a line each, and
// asks raimd for the names of what runs. Returns the exit status of raimctl: EXIT_COMPLETE_FILES
// where the name of a file is wanted.
int command_texts_complete(int count, char **words, const char *socket);

// Prints the entries of the commands in scdoc(5), for raimctl(1).
void command_texts_print_manual(FILE *out);
