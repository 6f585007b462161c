// SPDX-License-Identifier: MIT
// raimctl: controls a running raimd through its Unix socket. Parses the command line with argp(3).
#define _GNU_SOURCE
#include "commands.h"
#include "demo_socket.h"
#include "request.h"

#include <argp.h>
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

// Base of the argp keys of options without a short form. The key of a command's option is this plus
// its letter in the table of commands.
enum { LONG = 256 };

enum { MAX_COMMANDS = 64, SYNOPSIS_BYTES = 256, MAX_LETTERS = 32 };

// Options of single commands are hidden here; the help shows them with their commands.
static const struct argp_option options[] = {
    {.doc = "Commands:", .group = 1},
    {.doc = "Options:", .group = 2},
    {"socket", 's', "SOCKET", 0, "Control socket of the daemon (" RAIM_CONTROL_SOCKET ")", 2},
    {"json", LONG + 'j', NULL, OPTION_HIDDEN, NULL, 2},
    {"watch", LONG + 'w', NULL, OPTION_HIDDEN, NULL, 2},
    {"timeout", LONG + 't', "SECONDS", OPTION_HIDDEN, NULL, 2},
    {"for", LONG + 'f', "TIME", OPTION_HIDDEN, NULL, 2},
    {"until", LONG + 'u', "DATE", OPTION_HIDDEN, NULL, 2},
    {"yes", LONG + 'y', NULL, OPTION_HIDDEN, NULL, 2},
    {"wide", LONG + 'W', NULL, OPTION_HIDDEN, NULL, 2},
    {"key", LONG + 'k', "FILE", OPTION_HIDDEN, NULL, 2},
    {"arena", LONG + 'a', "NAME", OPTION_HIDDEN, NULL, 2},
    {"name", LONG + 'n', "NAME", OPTION_HIDDEN, NULL, 2},
    {"not-before", LONG + 'b', "TIME", OPTION_HIDDEN, NULL, 2},
    {"server-key", LONG + 'p', "HEX", OPTION_HIDDEN, NULL, 2},
    {"template", LONG + 'T', "NAME", OPTION_HIDDEN, NULL, 2},
    {"id", LONG + 'i', "ID", OPTION_HIDDEN, NULL, 2},
    {"players", LONG + 'P', "NAME,...", OPTION_HIDDEN, NULL, 2},
    {"ends", LONG + 'e', "WHEN", OPTION_HIDDEN, NULL, 2},
    {"map", LONG + 'M', "MAP", OPTION_HIDDEN, NULL, 2},
    {"places", LONG + 'N', "N", OPTION_HIDDEN, NULL, 2},
    {"join-within", LONG + 'J', "SECONDS", OPTION_HIDDEN, NULL, 2},
    {"metadata", LONG + 'm', "NAME=VALUE", OPTION_HIDDEN, NULL, 2},
    {"since", LONG + 'S', "TIME", OPTION_HIDDEN, NULL, 2},
    {"follow", LONG + 'F', NULL, OPTION_HIDDEN, NULL, 2},
    {"period", LONG + 'o', "PERIOD", OPTION_HIDDEN, NULL, 2},
    {"limit", LONG + 'l', "N", OPTION_HIDDEN, NULL, 2},
    {"master", LONG + 'R', "HOST:PORT", OPTION_HIDDEN, NULL, 2},
    {"drain", LONG + 'd', NULL, OPTION_HIDDEN, NULL, 2},
    {"help", 'h', NULL, 0, "Print this text", -1},
    {"usage", LONG, NULL, 0, "Print a short summary", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
};

enum { LINES = sizeof options / sizeof *options };

// The argp options: the real ones, and a line of help for each command.
struct help {
    struct argp_option lines[LINES + MAX_COMMANDS + 1]; // the last one is the terminator
    char synopses[MAX_COMMANDS][SYNOPSIS_BYTES];
};

struct command_line {
    struct call call;
    char letters[MAX_LETTERS + 1]; // of the given options that belong to single commands
};

static void fill_help(struct help *help)
{
    assert(commands_count <= MAX_COMMANDS);
    *help = (struct help){0};
    memcpy(help->lines, options, sizeof options);
    for (int i = 0; i < commands_count; i++) {
        snprintf(help->synopses[i], SYNOPSIS_BYTES, "%s%s%s", commands[i].name,
                 commands[i].arguments[0] != '\0' ? " " : "", commands[i].arguments);
        help->lines[LINES + i] = (struct argp_option){.name = help->synopses[i],
                                                      .flags = OPTION_DOC | OPTION_NO_USAGE,
                                                      .doc = commands[i].help,
                                                      .group = 1};
    }
}

// Stores an option of a room. Returns false for an unknown letter, or for too many metadata.
static bool take_room_option(struct room_options *room, char letter, const char *argument)
{
    switch (letter) {
    case 'T':
        room->template_name = argument;
        return true;
    case 'i':
        room->id = argument;
        return true;
    case 'P':
        room->players = argument;
        return true;
    case 'e':
        room->ends = argument;
        return true;
    case 'M':
        room->map = argument;
        return true;
    case 'N':
        room->places = argument;
        return true;
    case 'J':
        room->join_within = argument;
        return true;
    case 'd':
        room->drains = true;
        return true;
    case 'm':
        if (room->metadata_count == ROOM_MAX_METADATA)
            return false;
        room->metadata[room->metadata_count++] = argument;
        return true;
    default:
        return false;
    }
}

// Stores an option that belongs to a command. Returns false for an unknown letter.
static bool take_option(struct command_line *line, char letter, const char *argument)
{
    struct call *call = &line->call;
    switch (letter) {
    case 'j':
        call->json = true;
        break;
    case 'w':
        call->watch = true;
        break;
    case 'F':
        call->follows = true;
        break;
    case 't':
        call->timeout = argument;
        break;
    case 'f':
        call->duration = argument;
        break;
    case 'u':
        call->until = argument;
        break;
    case 'y':
        call->yes = true;
        break;
    case 'W':
        call->wide = true;
        break;
    case 'S':
        call->results.since = argument;
        break;
    case 'o':
        call->results.period = argument;
        break;
    case 'l':
        call->results.limit = argument;
        break;
    case 'k':
        call->token.key = argument;
        break;
    case 'a':
        call->token.arena = argument;
        break;
    case 'n':
        call->token.name = argument;
        break;
    case 'b':
        call->token.not_before = argument;
        break;
    case 'p':
        call->token.server_key = argument;
        break;
    case 'R':
        if (call->master_count == CALL_MAX_MASTERS)
            return false;
        call->masters[call->master_count++] = argument;
        break;
    default:
        if (!take_room_option(&call->room, letter, argument))
            return false;
    }
    if (strchr(line->letters, letter) == NULL)
        line->letters[strlen(line->letters)] = letter;
    return true;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct command_line *line = state->input;
    switch (key) {
    case 's':
        line->call.socket = argument;
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    case LONG:
        argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case 'V':
        puts("raimctl " RAIM_VERSION);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARGS: // argp has moved options before the words
        line->call.words = state->argv + state->next;
        line->call.count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "want a command");
        return 0;
    default:
        return key > LONG && key < 2 * LONG && take_option(line, (char)(key - LONG), argument)
                   ? 0
                   : ARGP_ERR_UNKNOWN;
    }
}

// Reports an unknown command, with the commands that begin with this word.
static int wrong_command(const char *first)
{
    char known[512] = "";
    const size_t length = strlen(first);
    for (int i = 0; i < commands_count; i++) {
        const char *name = commands[i].name;
        if (strncmp(name, first, length) != 0 || name[length] != ' ')
            continue;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", name);
    }
    fprintf(stderr, "raimctl: %s: %s\nTry 'raimctl --help'.\n",
            known[0] != '\0' ? "want one of" : "no such command", known[0] != '\0' ? known : first);
    return EX_USAGE;
}

static int run(struct command_line *line)
{
    int used;
    struct call *call = &line->call;
    const struct command *command = commands_find(call->count, call->words, &used);
    if (command == NULL)
        return wrong_command(call->words[0]);
    call->command = command;
    call->count -= used;
    call->words += used;
    if (strspn(line->letters, command->options) != strlen(line->letters))
        return commands_wrong(command, "an option that does not belong here");
    if (call->count < command->least)
        return commands_wrong(command, "too few words");
    if (call->count > command->most)
        return commands_wrong(command, "too many words; quote a text with spaces");
    if (!request_init()) {
        fputs("raimctl: cannot start libcurl\n", stderr);
        return EXIT_REFUSED;
    }
    return command->run(call);
}

// The socket of a demo that this user runs, where there is no raimd of the system.
static const char *default_socket(void)
{
    static char demo[PATH_MAX];
    struct stat status;
    demo_socket_path(demo, sizeof demo);
    const bool is_demo = access(RAIM_CONTROL_SOCKET, F_OK) != 0 && lstat(demo, &status) == 0 &&
                         S_ISSOCK(status.st_mode) && status.st_uid == geteuid();
    return is_demo ? demo : RAIM_CONTROL_SOCKET;
}

int main(int argc, char **argv)
{
    struct help help;
    struct command_line line = {.call.socket = default_socket()};
    fill_help(&help);
    const struct argp argp = {
        .options = help.lines,
        .parser = parse,
        .args_doc = "COMMAND",
        .doc = "Controls a running raimd.\v"
               "Exit status: 0 done, 1 refused, 64 wrong usage, 69 raimd cannot be reached.",
    };
    argp_err_exit_status = EX_USAGE;
    // ARGP_NO_HELP: argp's own help option has no -h.
    const error_t error = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &line);
    if (error == 0)
        return run(&line);
    fprintf(stderr, "raimctl: %s\n", strerror(error));
    return EXIT_REFUSED;
}
