// SPDX-License-Identifier: MIT
// Table of raimctl's commands: those of raimd (command_table.h), and its own. A synopsis is the one
// list of a command's words and options: the parser, the help, the completion and raimctl(1) read
// it.
#pragma once

#include "command_table.h"
#include "request.h"

#include <stdbool.h>
#include <stdio.h>

enum {
    EXIT_REJECTED = 1,
    CALL_MAX_OPTIONS = 64,
    COMMANDS_MAX = 96,
    COMMANDS_OPTION_BYTES = 32, // of an option's name
};

// A parsed command line.
struct call {
    const struct ctl_command *command;
    const char *socket;
    int count;    // of words
    char **words; // after the command's name
    int option_count;
    struct call_option {
        char name[COMMANDS_OPTION_BYTES]; // without "--"
        const char *value;                // "": it has none
    } options[CALL_MAX_OPTIONS];
};

struct ctl_command {
    const char *name;                    // one or two words
    int (*run)(const struct call *call); // returns the exit status
    const char *synopsis;                // "ARENA ID [REASON] [--json]"; NULL: made of the row
    const char *help;                    // NULL: that of the row
    const struct command_row *row;       // of raimd's command; NULL: it is raimctl's own
};

// Makes the table; call it first.
void commands_init(void);
int commands_count(void);
const struct ctl_command *commands_at(int index);

// The command whose name `words` (at least one) begins with; sets `used` to the number of words of
// the name. Returns NULL if there is none.
const struct ctl_command *commands_find(int count, char **words, int *used);

// Takes the next option of a synopsis from `at` on, which begins with the synopsis. `has_value`
// says whether a value follows, and `value` begins with its word. Returns false after the last one.
bool commands_next_option(const char **at, char name[COMMANDS_OPTION_BYTES], bool *has_value,
                          const char **value);

// Copies the word at a place of a synopsis: "ARENA", or "[ARENA]" where it may be left out; false:
// it has fewer. A word with "..." repeats.
bool commands_word(const char *synopsis, int place, char *word, size_t capacity);

// Whether a command takes this many words; otherwise sets the problem.
bool commands_takes(const struct ctl_command *command, int count, const char **problem);

bool commands_has_option(const struct ctl_command *command, const char *option);

// The value of an option that was given last; NULL: it was not given.
const char *commands_option(const struct call *call, const char *name);

// A word of the call; NULL: it has fewer.
const char *commands_argument(const struct call *call, int index);

// Prints a usage error of the command and returns its exit status, EX_USAGE.
int commands_wrong(const struct ctl_command *command, const char *problem);

// Sends a request and prints errors; returns the exit status. A file is written to `file`, unless
// that is NULL. On EXIT_SUCCESS the caller frees the reply's text.
int commands_send_for_file(const struct call *call, const struct request *request, FILE *file,
                           struct reply *reply);

// Checks that the arena of the first argument, if there is one, runs. Returns the exit status.
int commands_check_arena(const struct call *call);

// Prints that an answer cannot be read, and returns the exit status.
int commands_not_understood(void);

// Commands that do more than to print one answer; each returns the exit status. `discover` finds
// arenas by UDP, without the control socket. `ban_run` shows whom a ban would disconnect, asks
// where these are several, and bans.
int discover(const struct call *call);
int ban_run(const struct call *call);
int recording_list(const struct call *call);
int recording_get(const struct call *call);

// Without raimd: they read and write its directories.
int backup_run(const struct call *call);
int restore_run(const struct call *call);
int upgrade_check(const struct call *call);

// Prints nothing of the answer to a command, except an error if changed bans are not stored.
// Returns false if it cannot be read.
bool ban_print_done(const char *json, FILE *out);

// Prints the name of a recording that an answer has in "recording". Returns false if it has none.
bool recordings_print_name(const char *json, FILE *out);

// Writes the synopsis of a row: "ARENA PLAYER [REASON]".
void command_request_synopsis(const struct command_row *row, char *synopsis, size_t capacity);

// Makes the path and the body, JSON with the fields of the row, of a call. A GET has no body; the
// caller frees it. Returns false with the reason in `problem`.
bool command_request_make(const struct call *call, char path[COMMAND_PATH_BYTES], char **body,
                          const char **problem);
