// SPDX-License-Identifier: MIT
// raimrec: verifies and audits recordings.
#define _GNU_SOURCE
#include "audit.h"
#include "verify.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const struct argp_option known[] = {
    {"json", 'j', NULL, 0, "With audit: print a JSON object", 0},
    {"help", 'h', NULL, 0, "Print this text", -1},
    {"usage", 'u', NULL, 0, "Print a short summary", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

struct words {
    bool json;
    int count;
    char **items; // part of argv: the command and its files
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct words *words = state->input;
    (void)argument;
    switch (key) {
    case 'j':
        words->json = true;
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    case 'u':
        argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case 'V':
        puts("raimrec " RAIM_VERSION);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARGS:
        words->items = state->argv + state->next;
        words->count = state->argc - state->next;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int verify(const struct words *words)
{
    return verify_files(words->items + 1, words->count - 1, stdout);
}

static int audit(const struct words *words)
{
    return audit_file(words->items[1], words->json, stdout, stderr);
}

static const struct {
    const char *name;
    int min_files, max_files;
    bool takes_json;
    int (*run)(const struct words *words);
    const char *wants;
} commands[] = {
    {"verify", 1, 1 << 20, false, verify, "at least one recording"},
    {"audit", 1, 1, true, audit, "one recording"},
};

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "verify RECORDING...\naudit [--json] RECORDING",
        .doc = "Verifies and audits recordings of raimd.\v"
               "Exit status: 0 done, the recordings are good; 1 a recording differs or is "
               "damaged, or the output cannot be written; 64 wrong usage; 66 a recording cannot "
               "be read; 76 a recording needs another version.",
    };
    struct words words = {0};
    argp_err_exit_status = EX_USAGE;
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &words); // argp's own help has no -h
    const char *name = words.count > 0 ? words.items[0] : "";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const int files = words.count - 1;
        if (strcmp(commands[i].name, name) != 0)
            continue;
        if (files < commands[i].min_files || files > commands[i].max_files ||
            (words.json && !commands[i].takes_json)) {
            fprintf(stderr, "raimrec: %s wants %s\nTry `raimrec --help'.\n", name,
                    commands[i].wants);
            return EX_USAGE;
        }
        const int status = commands[i].run(&words);
        if (fflush(stdout) == 0 && !ferror(stdout))
            return status;
        fprintf(stderr, "raimrec: cannot write: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    fprintf(stderr, "raimrec: '%s' is no command\nTry `raimrec --help'.\n", name);
    return EX_USAGE;
}
