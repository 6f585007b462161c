// SPDX-License-Identifier: MIT
// raimd: options, configuration, signals (a second SIGTERM ends at once), and the main loop.
#define _GNU_SOURCE
#include "config.h"
#include "config_diff.h"
#include "config_reference.h"
#include "demo_socket.h"
#include "fetch_process.h"
#include "log.h"
#include "loop.h"
#include "process_usage.h"
#include "program.h"
#include "reload_report.h"
#include "sandbox.h"
#include "server.h"
#include "state_check.h"
#include "systemd.h"

#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum options_action {
    OPTIONS_RUN,
    OPTIONS_CHECK_CONFIG,
    OPTIONS_CHECK_STATE,
    OPTIONS_PRINT_CONFIG,
    OPTIONS_CONFIG_REFERENCE,
};

struct options {
    enum options_action action;
    bool demo;
    bool json; // with OPTIONS_CHECK_CONFIG only
    const char *config_path;
};

enum { DEMO = 256, CONFIG_REFERENCE, CHECK_STATE, JSON, USAGE };

static const struct argp_option known[] = {
    {"config", 'c', "FILE", 0, "Read this configuration (" RAIM_DEFAULT_CONFIG ")", 0},
    {"check-config", 't', NULL, 0, "Check the configuration and its maps, start nothing", 0},
    {"json", JSON, NULL, 0, "With -t: mistakes as a JSON array of {file, line, key, message}", 0},
    {"check-state", CHECK_STATE, NULL, 0,
     "Say what a start would take over from the last process, start nothing", 0},
    {"print-config", 'T', NULL, 0, "Check, then print every value and where it comes from", 0},
    {"config-reference", CONFIG_REFERENCE, NULL, 0,
     "Print a configuration of every key with its meaning and default", 0},
    {"demo", DEMO, NULL, 0,
     "Run two arenas with bots on loopback, by a built-in configuration, to which -c adds keys", 0},
    {"help", 'h', NULL, 0, "Print this text", -1},
    {"usage", USAGE, NULL, 0, "Print a short summary", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

// Checks combinations once every option is known, and sets the default.
static void check_and_complete(struct argp_state *state, struct options *options)
{
    if (options->json && options->action != OPTIONS_CHECK_CONFIG)
        argp_error(state, "--json goes with -t");
    if (options->config_path == NULL && !options->demo)
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
    case CHECK_STATE:
        options->action = OPTIONS_CHECK_STATE;
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
        check_and_complete(state, options);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

// Ends the process after printing the help or the version, or with EX_USAGE after reporting a
// mistake.
static struct options options_parse(int argc, char **argv)
{
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "\n--config-reference",
        .doc = "A dedicated server for 2D arena shooters.\v"
               "Exit status: 0 ended as asked, 1 could not start (a port in use, say) or would not "
               "take over all state, 64 wrong "
               "usage, 78 a mistake in the configuration or a map.",
    };
    struct options options = {.action = OPTIONS_RUN};
    argp_err_exit_status = EX_USAGE;
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &options); // argp's own help has no -h
    return options;
}

// What the signals order.
struct run {
    struct server *server;
    bool is_draining, has_ended;
    struct loop_source *signals[3];
};

// Ends the server. Under an orchestrator it drains at the first signal, and ends at the second.
static void stop(struct run *run, const char *signal)
{
    run->is_draining = !run->is_draining && server_drain(run->server);
    run->has_ended = !run->is_draining;
    log_info("%s signal=%s", run->is_draining ? "draining" : "stopping", signal);
}

static void take_interrupt(void *context)
{
    stop(context, "INT");
}

static void take_terminate(void *context)
{
    stop(context, "TERM");
}

static void take_hangup(void *context)
{
    const struct run *run = context;
    struct reload_report report = {0};
    log_info("reloading signal=HUP");
    server_reload(run->server, &report);
    reload_report_clear(&report);
}

// Lets a second signal end the process at once while clients are being disconnected.
static void allow_second_signal(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

// Status requests wake this thread many times a second. With SCHED_BATCH (sched(7)) a wakeup does
// not preempt a tick on the same CPU. A scheduling policy set by the operator is kept. If the call
// fails, ticks only take a little longer.
static void give_way_to_workers(void)
{
    const struct sched_param none = {0};
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &none);
}

// Returns false, after reporting it, if signals could not end the server.
static bool serve(struct loop *loop, struct server *server)
{
    struct run run = {.server = server};
    run.signals[0] = loop_add_signal(loop, SIGINT, take_interrupt, &run);
    run.signals[1] = loop_add_signal(loop, SIGTERM, take_terminate, &run);
    run.signals[2] = loop_add_signal(loop, SIGHUP, take_hangup, &run);
    const bool is_good = run.signals[0] != NULL && run.signals[1] != NULL && run.signals[2] != NULL;
    if (is_good)
        systemd_notify_ready();
    else
        log_error("server failed: cannot wait for signals: %s", strerror(errno));
    while (is_good && !run.has_ended && !server_is_drained(server))
        loop_wait(loop, -1);
    for (int i = 0; i < 3; i++)
        loop_remove(run.signals[i]);
    return is_good;
}

// Loads the configuration for -t, -T and the start. Returns NULL after reporting every mistake,
// with the exit status.
static struct config *load_config(const struct options *options, int *exit_status)
{
    struct diagnostics report = {.out = options->json ? stdout : stderr};
    if (options->json)
        report.style = DIAGNOSTICS_JSON;
    else if (log_is_journal())
        report.style = DIAGNOSTICS_JOURNAL;
    struct config *config = options->demo ? config_demo(options->config_path, &report)
                                          : config_load_reported(options->config_path, &report);
    if (options->demo && config != NULL && getenv("RUNTIME_DIRECTORY") == NULL)
        demo_socket_path(config->control, sizeof config->control);
    diagnostics_end(&report);
    *exit_status = report.no_memory ? EXIT_FAILURE : EX_CONFIG;
    const char *priority = log_is_journal() ? "<3>" : "";
    if (report.no_memory)
        fprintf(stderr, "%sraimd: out of memory\n", priority);
    else if (config == NULL && !options->json)
        fprintf(stderr, "%sraimd: %s: see the mistakes above\n", priority,
                options->action == OPTIONS_CHECK_CONFIG ? "configuration rejected" : "not started");
    return config;
}

// Prints the result of -t or -T for a valid configuration.
static void print_config(const struct options *options, const struct config *config)
{
    if (options->action == OPTIONS_PRINT_CONFIG)
        config_values_print(config->values, stdout);
    else if (!options->json)
        printf("%s: good, %d arena%s\n", options->demo ? "demo" : options->config_path,
               config->arena_count, config->arena_count == 1 ? "" : "s");
}

int main(int argc, char **argv)
{
    if (!program_open_streams())
        return EXIT_FAILURE;
    if (fetch_process_is(argc, argv))
        fetch_process_main(argc, argv);
    const struct options options = options_parse(argc, argv);
    if (options.action == OPTIONS_CONFIG_REFERENCE) {
        config_reference(stdout);
        return program_end_output("raimd");
    }
    heap_init();
    log_init();

    int exit_status;
    struct config *config = load_config(&options, &exit_status);
    if (config == NULL)
        return exit_status;
    if (options.action == OPTIONS_CHECK_STATE) {
        exit_status = state_check(config);
        config_unload(config);
        return program_end_output("raimd") != EXIT_SUCCESS ? EXIT_FAILURE : exit_status;
    }
    if (options.action != OPTIONS_RUN) {
        print_config(&options, config);
        config_unload(config);
        return program_end_output("raimd");
    }

    log_set_level(config->log_level);
    if (!config->core_dumps)
        sandbox_forbid_cores();
    program_block_signals();
    struct loop *loop = loop_create();
    struct server *server = NULL;
    bool has_served = false;
    if (loop != NULL) {
        server = server_start(loop, config, options.demo ? NULL : options.config_path);
    } else {
        log_error("cannot create the event loop: %s", strerror(errno));
        config_unload(config);
    }
    if (server != NULL) {
        give_way_to_workers(); // after the workers have started, or they would inherit it
        has_served = serve(loop, server);
        if (!server_is_drained(server))
            server_keep_checkpoints(server); // after a signal the service may be started again
        systemd_notify_stopping();
        if (has_served)
            allow_second_signal();
        server_stop(server);
        log_info("stopped");
    }
    loop_destroy(loop);
    return has_served ? EXIT_SUCCESS : EXIT_FAILURE;
}
