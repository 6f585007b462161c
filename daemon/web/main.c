// SPDX-License-Identifier: MIT
// raim-web: options, configuration, signals, and the loop.
#include "crypto.h"
#include "diagnostics.h"
#include "log.h"
#include "loop.h"
#include "process_usage.h"
#include "program.h"
#include "sandbox.h"
#include "systemd.h"
#include "web_config.h"
#include "web_server.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

struct options {
    const char *config_path;
    bool checks_only;
};

enum { USAGE = 256 };

static const struct argp_option known[] = {
    {"config", 'c', "FILE", 0, "Read this configuration (" RAIM_WEB_CONFIG ")", 0},
    {"check-config", 't', NULL, 0, "Check the configuration, start nothing", 0},
    {"help", 'h', NULL, 0, "Print this text", -1},
    {"usage", USAGE, NULL, 0, "Print a short summary", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'c':
        options->config_path = argument;
        break;
    case 't':
        options->checks_only = true;
        break;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        break;
    case USAGE:
        argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        break;
    case 'V':
        puts("raim-web " RAIM_VERSION);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static struct options parse_options(int argc, char **argv)
{
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .doc = "The gateway for browsers: serves the game as a page, and carries its datagrams "
               "between WebTransport and arenas of raimd.\v"
               "Exit status: 0 ended as asked, 1 could not start (a port in use, say), 64 wrong "
               "usage, 78 a mistake in the configuration.",
    };
    struct options options = {.config_path = RAIM_WEB_CONFIG};
    argp_err_exit_status = EX_USAGE;
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &options); // argp's own help has no -h
    return options;
}

static struct web_config *load_config(const struct options *options, int *exit_status)
{
    struct diagnostics report = {.out = stderr};
    if (log_is_journal())
        report.style = DIAGNOSTICS_JOURNAL;
    struct web_config *config = web_config_load(options->config_path, &report);
    *exit_status = report.no_memory ? EXIT_FAILURE : EX_CONFIG;
    const char *priority = log_is_journal() ? "<3>" : "";
    if (report.no_memory)
        fprintf(stderr, "%sraim-web: out of memory\n", priority);
    else if (config == NULL)
        fprintf(stderr, "%sraim-web: %s: see the mistakes above\n", priority,
                options->checks_only ? "configuration rejected" : "not started");
    return config;
}

struct run {
    struct web_server *server;
    bool has_ended;
};

static void stop(void *context)
{
    ((struct run *)context)->has_ended = true;
}

static void reload(void *context)
{
    web_server_reload(((struct run *)context)->server);
}

static void serve(struct loop *loop, struct web_server *server)
{
    struct run run = {.server = server};
    struct loop_source *signals[] = {
        loop_add_signal(loop, SIGINT, stop, &run),
        loop_add_signal(loop, SIGTERM, stop, &run),
        loop_add_signal(loop, SIGHUP, reload, &run),
    };
    systemd_notify_ready();
    while (!run.has_ended)
        loop_wait(loop, -1);
    systemd_notify_stopping();
    for (int i = 0; i < 3; i++)
        loop_remove(signals[i]);
}

int main(int argc, char **argv)
{
    if (!program_open_streams())
        return EXIT_FAILURE;
    const struct options options = parse_options(argc, argv);
    heap_init();
    log_init();
    if (!raim_crypto_init()) {
        log_error("cannot start: no source of random numbers");
        return EXIT_FAILURE;
    }
    int exit_status;
    struct web_config *config = load_config(&options, &exit_status);
    if (config == NULL)
        return exit_status;
    if (options.checks_only) {
        printf("%s: good, %d target%s\n", options.config_path, config->target_count,
               config->target_count == 1 ? "" : "s");
        web_config_free(config);
        return program_end_output("raim-web");
    }
    log_set_level(config->log_level);
    sandbox_forbid_cores();
    program_block_signals();
    struct loop *loop = loop_create();
    struct web_server *server = NULL;
    if (loop != NULL) {
        server = web_server_start(loop, config);
    } else {
        log_error("cannot create the event loop: %s", strerror(errno));
        web_config_free(config);
    }
    if (server != NULL) {
        serve(loop, server);
        log_info("stopped");
    }
    web_server_stop(server);
    loop_destroy(loop);
    return server != NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
