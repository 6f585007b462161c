// SPDX-License-Identifier: MIT
// The table of raim-bots' options.
#include "options.h"

#include "link.h"
#include "option_table.h"

#include <math.h>
#include <stdio.h>

const char *argp_program_version = "raim-bots " RAIM_VERSION;

static const char about[] =
    "Runs bots that play over UDP, distributed evenly over the addresses.\vExit status: 0 after at "
    "least one bot has played, 1 after a failure, 64 after wrong usage, 69 where no bot could "
    "connect or, with --require-all, where not all of them played to the end.";

bool options_read_server(const char *text, char host[RAIM_LINK_HOST_BYTES], uint16_t *port)
{
    *port = 0;
    return raim_link_read_address(text, host, port) && *port != 0;
}

static bool read_seed(void *target, const char *text)
{
    double seed;
    const bool is_good = option_table_number(text, true, 0, 9007199254740992.0, &seed);
    ((struct options *)target)->seed = is_good ? (uint64_t)seed : 0;
    return is_good;
}

// Reads a number of the simulated network, in parts of its unit.
static bool read_network(struct options *options, const char *text, double max, double parts,
                         double *number)
{
    options->shaped = true;
    const bool is_good = option_table_number(text, false, 0, max, number);
    *number /= parts;
    return is_good;
}

static bool read_latency(void *target, const char *text)
{
    struct options *options = target;
    return read_network(options, text, 5000, 1000, &options->network.latency_s);
}

static bool read_jitter(void *target, const char *text)
{
    struct options *options = target;
    return read_network(options, text, 5000, 1000, &options->network.jitter_s);
}

static bool read_loss(void *target, const char *text)
{
    struct options *options = target;
    return read_network(options, text, 100, 100, &options->network.loss);
}

static bool read_access(void *target, const char *text)
{
    struct options *options = target;
    uint8_t access[RAIM_ACCESS_BYTES];
    if (options->access_count == OPTIONS_MAX_CLIENTS ||
        raim_link_read_access(text, access, sizeof access) == 0)
        return false;
    options->access[options->access_count++] = text;
    return true;
}

static bool read_password(void *target, const char *text)
{
    return raim_link_read_password(text, ((struct options *)target)->password);
}

#define MEMBER(name) offsetof(struct options, name)

static const struct option_row rows[] = {
    {"clients", "N", "Number of bots, 1 to 4000 (8)", OPTION_WHOLE, MEMBER(clients), 1,
     OPTIONS_MAX_CLIENTS, "a whole number from 1 to 4000", NULL},
    {"seconds", "S", "Time to play; 0: until interrupted (0)", OPTION_NUMBER, MEMBER(seconds), 0,
     1e7, "a number from 0 to 10000000", NULL},
    {"seed", "K", "Seed of the bots' random numbers (1)", OPTION_OTHER, 0, 0, 0,
     "a whole number from 0 to 2^53", read_seed},
    {"access", "TOKEN", "Access token of the first client; repeat it for the next", OPTION_OTHER, 0,
     0, 0, "an access token", read_access},
    {"password-file", "FILE", "The file whose first line is the password of the arenas",
     OPTION_OTHER, 0, 0, 0, "a file with a line of 1 to 128 bytes", read_password},
    {"require-encryption", NULL, "Play only encrypted", OPTION_FLAG, MEMBER(require_encryption), 0,
     0, NULL, NULL},
    {"small-datagrams", NULL, "Use datagrams of at most 1124 bytes, as in a browser", OPTION_FLAG,
     MEMBER(small_datagrams), 0, 0, NULL, NULL},
    {"known-servers", "FILE", "Keep the servers' keys in FILE, and reject servers with other keys",
     OPTION_TEXT, MEMBER(known_servers), 0, 0, NULL, NULL},
    {"matchmaker", "URL", "Play in the arenas that a matchmaker finds, one after the other",
     OPTION_TEXT, MEMBER(matchmaker), 0, 0, NULL, NULL},
    {"mouse", NULL, "Move the aims in every tick, as a mouse does", OPTION_FLAG, MEMBER(mouse), 0,
     0, NULL, NULL},
    {"json", NULL, "Print the result as JSON, and no line per second", OPTION_FLAG, MEMBER(json), 0,
     0, NULL, NULL},
    {"require-all", NULL, "Fail unless all bots play to the end", OPTION_FLAG, MEMBER(require_all),
     0, 0, NULL, NULL},
    {"latency", "MS", "Round trip added to the network, half of it each way (0)", OPTION_OTHER, 0,
     0, 0, "milliseconds from 0 to 5000", read_latency},
    {"jitter", "MS", "Largest random delay of a datagram, each way (0)", OPTION_OTHER, 0, 0, 0,
     "milliseconds from 0 to 5000", read_jitter},
    {"loss", "PCT", "Percentage of datagrams lost, each way (0)", OPTION_OTHER, 0, 0, 0,
     "a percentage from 0 to 100", read_loss},
    {"poll", "HZ",
     "Polls of the sockets a second (60; 1000 with a simulated network, whose delays are exact to "
     "one poll)",
     OPTION_WHOLE, MEMBER(poll_hz), 60, 1000, "a whole number from 60 to 1000", NULL},
};

static bool take_argument(void *target, int index, char *text, char *problem)
{
    struct options *options = target;
    char host[RAIM_LINK_HOST_BYTES];
    uint16_t port;
    if (index == OPTIONS_SERVERS) {
        snprintf(problem, OPTION_PROBLEM_BYTES, "at most %d servers", OPTIONS_SERVERS);
        return false;
    }
    options->servers[options->server_count++] = text;
    snprintf(problem, OPTION_PROBLEM_BYTES, "a server is HOST:PORT or [IPV6]:PORT, got '%s'", text);
    return options_read_server(text, host, &port);
}

static bool check(void *target, int argument_count, char *problem)
{
    struct options *options = target;
    if (options->seconds == 0)
        options->seconds = INFINITY;
    const bool is_lost = options->matchmaker == NULL && argument_count == 0;
    snprintf(problem, OPTION_PROBLEM_BYTES, "%s",
             is_lost ? "no HOST:PORT given"
                     : "--matchmaker finds servers and access tokens itself");
    return !is_lost &&
           (options->matchmaker == NULL || (argument_count == 0 && options->access_count == 0));
}

void options_parse(struct options *options, int argc, char **argv)
{
    static const struct option_table table = {
        .arguments = "HOST:PORT...",
        .about = about,
        .rows = rows,
        .count = sizeof rows / sizeof *rows,
        .take_argument = take_argument,
        .check = check,
    };
    *options = (struct options){.clients = 8, .seconds = INFINITY, .seed = 1};
    option_table_read(&table, argc, argv, options);
}
