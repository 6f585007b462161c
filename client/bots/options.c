// SPDX-License-Identifier: MIT
// Reads the command line of raim-bots with argp.
#define _GNU_SOURCE
#include "options.h"

#include "link.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "raim-bots " RAIM_VERSION;

static const char about[] =
    "Runs bot clients that play over UDP, dealt evenly to the addresses.\vExit status: 0 after at "
    "least one bot has played, 1 after a failure, 64 after wrong usage, 69 where no bot could "
    "connect or, with --require-all, where not all of them played to the end.";

enum {
    CLIENTS = 256,
    SECONDS,
    SEED,
    ACCESS,
    PASSWORD_FILE,
    REQUIRE_ENCRYPTION,
    KNOWN_SERVERS,
    MATCHMAKER,
    MOUSE,
    JSON,
    REQUIRE_ALL
};
enum { LATENCY = 300, JITTER, LOSS, POLL };

static const struct argp_option known[] = {
    {"clients", CLIENTS, "N", 0, "Number of bots, 1 to 4000 (8)", 0},
    {"seconds", SECONDS, "S", 0, "Time to play; 0: until interrupted (0)", 0},
    {"seed", SEED, "K", 0, "Seed of the bots' random numbers (1)", 0},
    {"access", ACCESS, "TOKEN", 0, "Access token of the first client; repeat it for the next", 0},
    {"password-file", PASSWORD_FILE, "FILE", 0,
     "The file whose first line is the password of the arenas", 0},
    {"require-encryption", REQUIRE_ENCRYPTION, NULL, 0, "Play only where datagrams are encrypted",
     0},
    {"known-servers", KNOWN_SERVERS, "FILE", 0,
     "Keep the servers' keys in FILE, and refuse servers with other keys", 0},
    {"matchmaker", MATCHMAKER, "URL", 0,
     "Play in the rooms that a matchmaker finds, one after the other", 0},
    {"mouse", MOUSE, NULL, 0, "Move the aims every tick, as a hand on a mouse does", 0},
    {"json", JSON, NULL, 0, "Print the result as JSON, and no line per second", 0},
    {"require-all", REQUIRE_ALL, NULL, 0, "Fail unless all bots play to the end", 0},
    {"latency", LATENCY, "MS", 0, "Round trip added to the network, half of it each way (0)", 0},
    {"jitter", JITTER, "MS", 0, "Largest random delay of a datagram, each way (0)", 0},
    {"loss", LOSS, "PCT", 0, "Percentage of datagrams lost, each way (0)", 0},
    {"poll", POLL, "HZ", 0,
     "Polls of the sockets a second (60; 1000 with a simulated network, whose delays are exact to "
     "one poll)",
     0},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
    {0},
};

static bool read_number(const char *text, double min, double max, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && *number >= min && *number <= max;
}

// The number of an option, from 0 or, of --clients, 1 to `max`. Ends the program on any other text.
static double number_of(struct argp_state *state, int key, const char *text)
{
    static const struct {
        int key;
        bool is_whole;
        double min, max;
        const char *wanted;
    } numbers[] = {
        {CLIENTS, true, 1, OPTIONS_MAX_CLIENTS, "--clients wants a whole number from 1 to 4000"},
        {SECONDS, false, 0, 1e7, "--seconds wants a number from 0 to 10000000"},
        {SEED, true, 0, 9007199254740992.0, "--seed wants a whole number from 0 to 2^53"},
        {LATENCY, false, 0, 5000, "--latency wants milliseconds from 0 to 5000"},
        {JITTER, false, 0, 5000, "--jitter wants milliseconds from 0 to 5000"},
        {LOSS, false, 0, 100, "--loss wants a percentage from 0 to 100"},
        {POLL, true, 60, 1000, "--poll wants a whole number from 60 to 1000"},
    };
    double number = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].key == key && (!read_number(text, numbers[i].min, numbers[i].max, &number) ||
                                      (numbers[i].is_whole && number != floor(number))))
            argp_error(state, "%s, got '%s'", numbers[i].wanted, text);
    return number;
}

bool options_read_server(const char *text, char host[RAIM_LINK_HOST_BYTES], uint16_t *port)
{
    *port = 0;
    return raim_link_read_address(text, host, port) && *port != 0;
}

static void take_access(struct argp_state *state, const char *text, struct options *options)
{
    uint8_t access[RAIM_ACCESS_BYTES];
    if (options->access_count == OPTIONS_MAX_CLIENTS ||
        raim_link_read_access(text, access, sizeof access) == 0)
        argp_error(state, "--access wants an access token, got '%s'", text);
    options->access[options->access_count++] = text;
}

static void take_servers(struct argp_state *state, struct options *options)
{
    char host[RAIM_LINK_HOST_BYTES];
    uint16_t port;
    options->servers = state->argv + state->next;
    options->server_count = state->argc - state->next;
    for (int i = 0; i < options->server_count; i++)
        if (!options_read_server(options->servers[i], host, &port))
            argp_error(state, "a server is HOST:PORT or [IPV6]:PORT, got '%s'",
                       options->servers[i]);
}

// Takes one option or all arguments. argp_error ends the program with status 64.
static error_t take(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case CLIENTS:
        options->clients = (int)number_of(state, key, text);
        break;
    case SECONDS:
        options->seconds = number_of(state, key, text);
        options->seconds = options->seconds > 0 ? options->seconds : INFINITY;
        break;
    case SEED:
        options->seed = (uint64_t)number_of(state, key, text);
        break;
    case ACCESS:
        take_access(state, text, options);
        break;
    case PASSWORD_FILE:
        if (!raim_link_read_password(text, options->password))
            argp_error(state,
                       "--password-file wants a file with a line of 1 to 128 bytes, got '%s'",
                       text);
        break;
    case REQUIRE_ENCRYPTION:
        options->require_encryption = true;
        break;
    case KNOWN_SERVERS:
        options->known_servers = text;
        break;
    case MATCHMAKER:
        options->matchmaker = text;
        break;
    case MOUSE:
        options->mouse = true;
        break;
    case JSON:
        options->json = true;
        break;
    case REQUIRE_ALL:
        options->require_all = true;
        break;
    case LATENCY:
        options->network.latency_s = number_of(state, key, text) / 1000;
        options->shaped = true;
        break;
    case JITTER:
        options->network.jitter_s = number_of(state, key, text) / 1000;
        options->shaped = true;
        break;
    case LOSS:
        options->network.loss = number_of(state, key, text) / 100;
        options->shaped = true;
        break;
    case POLL:
        options->poll_hz = number_of(state, key, text);
        break;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case ARGP_KEY_ARGS:
        take_servers(state, options);
        break;
    case ARGP_KEY_END:
        if (options->matchmaker == NULL && options->server_count == 0)
            argp_error(state, "no HOST:PORT given");
        if (options->matchmaker != NULL && (options->server_count > 0 || options->access_count > 0))
            argp_error(state, "--matchmaker finds servers and access tokens itself");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void options_parse(struct options *options, int argc, char **argv)
{
    const struct argp parser = {
        .options = known, .parser = take, .args_doc = "HOST:PORT...", .doc = about};
    *options = (struct options){.clients = 8, .seconds = INFINITY, .seed = 1};
    if (argp_parse(&parser, argc, argv, 0, NULL, options) != 0) {
        fputs("raim-bots: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
}
