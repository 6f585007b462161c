// SPDX-License-Identifier: MIT
// raim-bots: many bot clients in one process over real UDP; a load, and opponents.
#define _GNU_SOURCE
#include "report.h"

#include "random.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum { EXIT_USAGE = 64, EXIT_UNREACHABLE = 69 };
enum { TICK_HZ = 60, CONNECT_TIMEOUT_MS = 5000, LEAVE_TICKS = TICK_HZ / 2, MAX_CLIENTS = 4000 };

// So many connections are begun in a tick, that a large load does not arrive as one burst.
enum { OPENED_PER_TICK = 32 };

// Before the end the bots hold their fire for so long, that the last bullets land and the scores
// come to rest: then what the server and the clients report can be compared.
static const double cease_fire_s = 2;

static volatile sig_atomic_t interrupted;

struct options {
    int clients;
    double seconds; // INFINITY: until interrupted
    uint64_t seed;
    bool json;
    char **servers; // HOST:PORT
    int server_count;
};

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void print_usage(FILE *file)
{
    fputs("usage: raim-bots [OPTIONS] HOST:PORT...\n"
          "\n"
          "Bot clients that play over UDP, dealt evenly to the addresses.\n"
          "\n"
          "  --clients N   how many, 1 to 4000 (8)\n"
          "  --seconds S   how long to play; 0: until interrupted (0)\n"
          "  --seed K      of the bots' chance (1)\n"
          "  --json        print the result as JSON\n"
          "  --help        this text\n",
          file);
}

static bool parse_number(const char *text, double min, double max, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && *number >= min && *number <= max;
}

// Splits HOST:PORT; `host` has room for the whole text.
static bool parse_server(const char *text, char *host, uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    double number;
    if (colon == NULL || colon == text || !parse_number(colon + 1, 1, 65535, &number) ||
        number != floor(number))
        return false;
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    *port = (uint16_t)number;
    return true;
}

static void fail_usage(const char *what, const char *got)
{
    fprintf(stderr, "raim-bots: %s: got '%s'\n", what, got);
    print_usage(stderr);
    exit(EXIT_USAGE);
}

static struct options parse_options(int argc, char **argv)
{
    struct options options = {.clients = 8, .seconds = INFINITY, .seed = 1};
    static const struct option known[] = {
        {"clients", required_argument, NULL, 'c'}, {"seconds", required_argument, NULL, 's'},
        {"seed", required_argument, NULL, 'k'},    {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    double number;
    for (int option; (option = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        switch (option) {
        case 'c':
            if (!parse_number(optarg, 1, MAX_CLIENTS, &number) || number != floor(number))
                fail_usage("--clients wants a whole number from 1 to 4000", optarg);
            options.clients = (int)number;
            break;
        case 's':
            if (!parse_number(optarg, 0, 1e7, &number))
                fail_usage("--seconds wants a number from 0 to 10000000", optarg);
            options.seconds = number > 0 ? number : INFINITY;
            break;
        case 'k':
            if (!parse_number(optarg, 0, 9007199254740992.0, &number))
                fail_usage("--seed wants a whole number", optarg);
            options.seed = (uint64_t)number;
            break;
        case 'j':
            options.json = true;
            break;
        case 'h':
            print_usage(stdout);
            exit(EXIT_SUCCESS);
        default:
            print_usage(stderr);
            exit(EXIT_USAGE);
        }
    }
    options.servers = argv + optind;
    options.server_count = argc - optind;
    if (options.server_count == 0) {
        fputs("raim-bots: no HOST:PORT given\n", stderr);
        print_usage(stderr);
        exit(EXIT_USAGE);
    }
    for (int i = 0; i < options.server_count; i++) {
        char host[256];
        uint16_t port;
        if (strlen(options.servers[i]) >= sizeof host ||
            !parse_server(options.servers[i], host, &port))
            fail_usage("a server is HOST:PORT", options.servers[i]);
    }
    return options;
}

static void open_player(const struct options *options, struct player *player)
{
    char host[256];
    uint16_t port;
    parse_server(options->servers[player->server], host, &port);
    if (!player_open(player, host, port, CONNECT_TIMEOUT_MS))
        fprintf(stderr, "raim-bots: cannot open a connection to %s\n",
                options->servers[player->server]);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_until(double when_s)
{
    const struct timespec when = {.tv_sec = (time_t)when_s,
                                  .tv_nsec = (long)((when_s - floor(when_s)) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR && !interrupted)
        continue;
}

static void play(const struct options *options, struct player *players)
{
    const double start_s = now_s();
    const double end_s = start_s + options->seconds;
    double tick_s = start_s;
    int opened = 0;
    while (!interrupted && tick_s < end_s) {
        for (int i = 0; i < OPENED_PER_TICK && opened < options->clients; i++)
            open_player(options, &players[opened++]);
        const bool fire = tick_s < end_s - cease_fire_s;
        for (int i = 0; i < opened; i++)
            player_tick(&players[i], tick_s, fire);
        tick_s += 1.0 / TICK_HZ;
        // Behind by more than a moment, the ticks missed are dropped, not caught up.
        if (now_s() > tick_s + 0.25)
            tick_s = now_s();
        sleep_until(tick_s);
    }
    for (int i = 0; i < opened; i++)
        player_leave(&players[i], tick_s);
    for (int tick = 0, open = 1; tick < LEAVE_TICKS && open > 0; tick++) {
        open = 0;
        for (int i = 0; i < opened; i++) {
            if (players[i].link == NULL)
                continue;
            raim_link_service(players[i].link);
            open += raim_link_is_open(players[i].link);
        }
        tick_s += 1.0 / TICK_HZ;
        sleep_until(tick_s);
    }
}

int main(int argc, char **argv)
{
    const struct options options = parse_options(argc, argv);
    struct player *players = calloc((size_t)options.clients, sizeof *players);
    if (players == NULL) {
        fputs("raim-bots: out of memory\n", stderr);
        return EXIT_FAILURE;
    }
    // A socket per client.
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    prctl(PR_SET_TIMERSLACK, 1UL); // the kernel's default coalescing would blur the ticks
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);

    uint64_t random = options.seed;
    for (int i = 0; i < options.clients; i++) {
        players[i].server = i % options.server_count;
        snprintf(players[i].name, sizeof players[i].name, "bot-%d", i + 1);
        raim_bot_init(&players[i].brain, raim_random_next(&random));
    }
    play(&options, players);

    const struct report_source report = {players, options.clients, options.servers,
                                         options.server_count, options.seconds};
    if (options.json)
        report_json(&report);
    else
        report_table(&report);
    const int connected = report_connected(&report);
    for (int i = 0; i < options.clients; i++)
        raim_link_close(players[i].link);
    free(players);
    return connected > 0 ? EXIT_SUCCESS : EXIT_UNREACHABLE;
}
