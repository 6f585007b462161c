// SPDX-License-Identifier: MIT
// Parses the command line with argp(3).
#include "options.h"

#include <argp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEMO = 256, CONFIG_REFERENCE, JSON, USAGE };

static const struct argp_option known[] = {
    {"config", 'c', "FILE", 0, "Read this configuration (" RAIM_DEFAULT_CONFIG ")", 0},
    {"check-config", 't', NULL, 0, "Check the configuration and its maps, start nothing", 0},
    {"json", JSON, NULL, 0, "With -t: mistakes as a JSON array of {file, line, key, message}", 0},
    {"print-config", 'T', NULL, 0, "Check, then print every value and where it comes from", 0},
    {"config-reference", CONFIG_REFERENCE, NULL, 0,
     "Print a configuration of every key with its meaning and default", 0},
    {"demo", DEMO, NULL, 0, "Run two arenas with bots on loopback, by a built-in configuration", 0},
    {"help", 'h', NULL, 0, "Print this text", -1},
    {"usage", USAGE, NULL, 0, "Print a short summary", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

// Checks combinations once every option is known.
static void check(struct argp_state *state, struct options *options)
{
    if (options->demo && options->config_path != NULL)
        argp_error(state, "--demo takes no configuration");
    if (options->json && options->action != OPTIONS_CHECK_CONFIG)
        argp_error(state, "--json goes with -t");
    if (options->config_path == NULL)
        options->config_path = RAIM_DEFAULT_CONFIG;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'c':
        options->config_path = argument;
        break;
    case 't':
        options->action = OPTIONS_CHECK_CONFIG;
        break;
    case 'T':
        options->action = OPTIONS_PRINT_CONFIG;
        break;
    case CONFIG_REFERENCE:
        options->action = OPTIONS_CONFIG_REFERENCE;
        break;
    case JSON:
        options->json = true;
        break;
    case DEMO:
        options->demo = true;
        break;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        break;
    case USAGE:
        argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        break;
    case 'V':
        puts("raimd " RAIM_VERSION);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        break;
    case ARGP_KEY_END:
        check(state, options);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

struct options options_parse(int argc, char **argv)
{
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "\n--config-reference",
        .doc = "A dedicated server for 2D arena shooters.\v"
               "Exit status: 0 ended as asked, 1 could not start (a port in use, say), 64 wrong "
               "usage, 78 a mistake in the configuration or a map.",
    };
    struct options options = {.action = OPTIONS_RUN};
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &options); // argp's own help has no -h
    return options;
}
