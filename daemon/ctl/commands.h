// SPDX-License-Identifier: MIT
// Table of raimctl's commands: name, arguments, options, help and function of each.
#pragma once

#include "request.h"
#include "result_documents.h"
#include "room_documents.h"
#include "token.h"

#include <stdbool.h>
#include <stdio.h>

enum {
    EXIT_REFUSED = 1,
    EXIT_UNREACHABLE = 69,
    CALL_MAX_MASTERS = 8,
};

// A parsed command line.
struct call {
    const struct command *command;
    const char *socket;
    bool json, watch, follows, yes, wide;
    const char *timeout, *duration, *until; // NULL: not given
    struct token_options token;
    struct results_options results;
    struct room_options room;
    int master_count; // --master, of raimctl discover
    const char *masters[CALL_MAX_MASTERS];
    int count;    // of words
    char **words; // after the command's name
};

struct command {
    const char *name;                    // one or two words
    int (*run)(const struct call *call); // returns the exit status
    int least, most;                     // number of words after the name
    const char *options;                 // letters of the accepted options, see main.c
    const char *arguments;               // synopsis of words and options for the help
    const char *help;
};

extern const struct command commands[];
extern const int commands_count;

// The command whose name `words` (at least one) begins with; sets `used` to the number of words of
// the name. Returns NULL if there is none.
const struct command *commands_find(int count, char **words, int *used);

// Prints a usage error of the command and returns its exit status, EX_USAGE.
int commands_wrong(const struct command *command, const char *problem);

// Sends a request and prints errors; returns the exit status. A file is written to `file`, unless
// that is NULL. On EXIT_SUCCESS the caller frees the reply's text.
int commands_send_for_file(const struct call *call, const struct request *request, FILE *file,
                           struct reply *reply);

// Sends a request whose answer is not shown, and prints errors; returns the exit status.
int commands_send(const struct call *call, const struct request *request);

// Checks that the arena of the first argument, if there is one, runs. Returns the exit status.
int commands_check_arena(const struct call *call);

// Prints that an answer cannot be read, and returns the exit status.
int commands_not_understood(void);
