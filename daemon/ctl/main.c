// SPDX-License-Identifier: MIT
// raimctl: controls a running raimd through its Unix socket. Parses the command line with argp(3).
#define _GNU_SOURCE
#include "command_texts.h"
#include "commands.h"
#include "demo_socket.h"
#include "request.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

// Base of the argp keys of options without a short form: those of commands in the order of the
// table, hidden ones of raimctl itself, and --usage.
enum { LONG = 256, USAGE = 1000, MANUAL };

enum { MAX_OPTIONS = 64, SYNOPSIS_BYTES = 320 };

static const struct argp_option global_options[] = {
    {.doc = "Commands:", .group = 1},
    {.doc = "Options:", .group = 2},
    {"socket", 's', "SOCKET", 0, "Control socket of the daemon (" RAIM_CONTROL_SOCKET ")", 2},
    {"help", 'h', NULL, 0, "Print this text", -1},
    {"usage", USAGE, NULL, 0, "Print a short summary", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {"manual", MANUAL, NULL, OPTION_HIDDEN, NULL, 2},
};

enum { GLOBALS = sizeof global_options / sizeof *global_options };

// The options of argp: the global ones, those of commands, which are hidden because the help shows
// them with their commands, and a line of help for each command.
struct command_line {
    struct call call;
    struct argp_option lines[GLOBALS + MAX_OPTIONS + COMMANDS_MAX + 1]; // the last one ends them
    char names[MAX_OPTIONS][COMMANDS_OPTION_BYTES];
    int name_count;
    char synopses[COMMANDS_MAX][SYNOPSIS_BYTES];
};

static void add_option(struct command_line *line, const char *name, bool has_value)
{
    for (int i = 0; i < line->name_count; i++)
        if (strcmp(line->names[i], name) == 0)
            return;
    assert(line->name_count < MAX_OPTIONS);
    const int index = line->name_count++;
    strcpy(line->names[index], name);
    line->lines[GLOBALS + index] = (struct argp_option){.name = line->names[index],
                                                        .key = LONG + index,
                                                        .arg = has_value ? "VALUE" : NULL,
                                                        .flags = OPTION_HIDDEN,
                                                        .group = 2};
}

static void fill_options(struct command_line *line)
{
    char name[COMMANDS_OPTION_BYTES];
    bool has_value;
    memcpy(line->lines, global_options, sizeof global_options);
    for (int i = 0; i < commands_count(); i++) {
        const char *value, *at = commands_at(i)->synopsis;
        while (commands_next_option(&at, name, &has_value, &value))
            add_option(line, name, has_value);
    }
    for (int i = 0; i < commands_count(); i++) {
        const struct ctl_command *command = commands_at(i);
        snprintf(line->synopses[i], SYNOPSIS_BYTES, "%s%s%s", command->name,
                 command->synopsis[0] != '\0' ? " " : "", command->synopsis);
        line->lines[GLOBALS + line->name_count + i] =
            (struct argp_option){.name = line->synopses[i],
                                 .flags = OPTION_DOC | OPTION_NO_USAGE,
                                 .doc = command->help,
                                 .group = 1};
    }
}

// Stores an option of a command. Returns false for an unknown key, or for too many options.
static bool take_option(struct command_line *line, int key, const char *argument)
{
    struct call *call = &line->call;
    if (key < LONG || key >= LONG + line->name_count || call->option_count == CALL_MAX_OPTIONS)
        return false;
    struct call_option *option = &call->options[call->option_count++];
    strcpy(option->name, line->names[key - LONG]);
    option->value = argument != NULL ? argument : "";
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
    case USAGE:
        argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case 'V':
        puts("raimctl " RAIM_VERSION);
        exit(EXIT_SUCCESS);
    case MANUAL:
        command_texts_print_manual(stdout);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARGS: // argp has moved options before the words
        line->call.words = state->argv + state->next;
        line->call.count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "want a command");
        return 0;
    default:
        return take_option(line, key, argument) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

// Reports an unknown command, with the commands that begin with this word.
static int wrong_command(const char *first)
{
    char known[512] = "";
    const size_t length = strlen(first);
    for (int i = 0; i < commands_count(); i++) {
        const char *name = commands_at(i)->name;
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
    const char *problem;
    char unknown[COMMANDS_OPTION_BYTES + 32];
    const struct ctl_command *command = commands_find(call->count, call->words, &used);
    if (command == NULL)
        return wrong_command(call->words[0]);
    call->command = command;
    call->count -= used;
    call->words += used;
    for (int i = 0; i < call->option_count; i++)
        if (!commands_has_option(command, call->options[i].name)) {
            snprintf(unknown, sizeof unknown, "this command has no option --%s",
                     call->options[i].name);
            return commands_wrong(command, unknown);
        }
    if (!commands_takes(command, call->count, &problem))
        return commands_wrong(command, problem);
    if (!request_init()) {
        fputs("raimctl: cannot start libcurl\n", stderr);
        return EXIT_REJECTED;
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

// Returns a command's exit status, unless its output could not be written.
static int end_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "raimctl: cannot write to the standard output%s%s\n", errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    return code == EXIT_SUCCESS ? EXIT_REJECTED : code;
}

int main(int argc, char **argv)
{
    static struct command_line line;
    line.call.socket = default_socket();
    commands_init();
    // The words that follow are those of a shell, not options.
    if (argc > 1 && strcmp(argv[1], "--complete") == 0)
        return command_texts_complete(argc - 2, argv + 2, line.call.socket);
    fill_options(&line);
    const struct argp argp = {
        .options = line.lines,
        .parser = parse,
        .args_doc = "COMMAND",
        .doc = "Controls a running raimd.\v"
               "Exit status: 0 done, 1 rejected or not printed, 64 wrong usage, 69 raimd cannot "
               "be reached.",
    };
    argp_err_exit_status = EX_USAGE;
    // ARGP_NO_HELP: argp's own help option has no -h.
    const error_t error = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &line);
    if (error == 0)
        return end_output(run(&line));
    fprintf(stderr, "raimctl: %s\n", strerror(error));
    return EXIT_REJECTED;
}
