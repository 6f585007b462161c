// SPDX-License-Identifier: MIT
// The commands of raimctl: what each is called, takes and does.
#pragma once

#include "token.h"

#include <stdbool.h>

enum {
    EXIT_REFUSED = 1,
    EXIT_UNREACHABLE = 69,
};

// A command line, read.
struct call {
    const struct command *command;
    const char *socket;
    bool json, watch;
    const char *timeout, *duration; // NULL: not given
    struct token_options token;
    int count;    // of words
    char **words; // behind the command's
};

struct command {
    const char *name;                    // one or two words
    int (*run)(const struct call *call); // returns the exit status
    int least, most;                     // words behind the name
    const char *options;                 // letters of those that it takes, see main.c
    const char *arguments;               // what stands behind the name, for people
    const char *help;
};

extern const struct command commands[];
extern const int commands_count;

// The command that these words, at least one, begin with, and how many of them it is called; NULL
// where there is none.
const struct command *commands_find(int count, char **words, int *used);

// Complains about a use of the command, and returns the exit status for that.
int commands_wrong(const struct command *command, const char *problem);
