// SPDX-License-Identifier: MIT
// raim-bots: many bot clients in one process over real UDP; a load, and opponents.
#define _GNU_SOURCE
#include "report.h"
#include "shaper.h"

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
enum { POLL_HZ = 60, FINE_POLL_HZ = 1000, MAX_CLIENTS = 4000 };

// So many connections are begun in a poll, that a large load does not arrive as one burst.
enum { OPENED_PER_POLL = 32 };

// Before the end the bots hold their fire for so long, that the last bullets land and the scores
// come to rest: then what the server and the clients report can be compared.
static const double cease_fire_s = 2;

static const double leave_within_s = 0.5; // what a round trip takes comes on top

static volatile sig_atomic_t interrupted;

struct options {
    int clients;
    double seconds; // INFINITY: until interrupted
    uint64_t seed;
    bool json;
    bool shaped; // by `network`
    struct shaper_def network;
    int access_count;
    const char *access[MAX_CLIENTS]; // token of each of the first clients
    bool require_encryption;
    const char *known_servers; // file; NULL: none
    char **servers;            // HOST:PORT
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
          "  --access TOKEN  of the first client; given again, of the next\n"
          "  --require-encryption  play only where datagrams are encrypted\n"
          "  --known-servers FILE  keep the servers' keys there, and refuse other ones\n"
          "  --json        print the result as JSON\n"
          "  --latency MS  delay all datagrams: of a round trip, half of it each way (0)\n"
          "  --jitter MS   delay each by up to so much more, each way (0)\n"
          "  --loss PCT    lose so many of a hundred, each way (0)\n"
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
        {"clients", required_argument, NULL, 'c'},
        {"seconds", required_argument, NULL, 's'},
        {"seed", required_argument, NULL, 'k'},
        {"json", no_argument, NULL, 'j'},
        {"access", required_argument, NULL, 'a'},
        {"latency", required_argument, NULL, 'l'},
        {"jitter", required_argument, NULL, 't'},
        {"loss", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {"require-encryption", no_argument, NULL, 'r'},
        {"known-servers", required_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    double number;
    uint8_t access[RAIM_ACCESS_BYTES];
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
        case 'r':
            options.require_encryption = true;
            break;
        case 'n':
            options.known_servers = optarg;
            break;
        case 'j':
            options.json = true;
            break;
        case 'a':
            if (options.access_count == MAX_CLIENTS ||
                raim_link_read_access(optarg, access, sizeof access) == 0)
                fail_usage("--access wants an access token", optarg);
            options.access[options.access_count++] = optarg;
            break;
        case 'l':
            if (!parse_number(optarg, 0, 5000, &number))
                fail_usage("--latency wants milliseconds from 0 to 5000", optarg);
            options.network.latency_s = number / 1000;
            options.shaped = true;
            break;
        case 't':
            if (!parse_number(optarg, 0, 5000, &number))
                fail_usage("--jitter wants milliseconds from 0 to 5000", optarg);
            options.network.jitter_s = number / 1000;
            options.shaped = true;
            break;
        case 'o':
            if (!parse_number(optarg, 0, 100, &number))
                fail_usage("--loss wants a percentage from 0 to 100", optarg);
            options.network.loss = number / 100;
            options.shaped = true;
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

static void open_player(const struct options *options, struct opponent *player)
{
    char host[256];
    uint16_t port;
    parse_server(options->servers[player->server], host, &port);
    player->require_encryption = options->require_encryption;
    if (!opponent_open(player, host, port, options->known_servers))
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

// Waits for the next poll; behind by more than a moment, what was missed is dropped, not caught up.
static double next_poll(double poll_s, double period_s)
{
    poll_s += period_s;
    if (now_s() > poll_s + 0.25)
        poll_s = now_s();
    sleep_until(poll_s);
    shaper_flush();
    return poll_s;
}

static void play(const struct options *options, struct opponent *players)
{
    // Late datagrams want to be moved in time.
    const double period_s = 1.0 / (options->shaped ? FINE_POLL_HZ : POLL_HZ);
    double poll_s = now_s();
    const double end_s = poll_s + options->seconds;
    int opened = 0;
    while (!interrupted && poll_s < end_s) {
        for (int i = 0; i < OPENED_PER_POLL && opened < options->clients; i++)
            open_player(options, &players[opened++]);
        const bool fire = poll_s < end_s - cease_fire_s;
        for (int i = 0; i < opened; i++)
            opponent_service(&players[i], poll_s, fire);
        poll_s = next_poll(poll_s, period_s);
    }
    for (int i = 0; i < opened; i++)
        opponent_leave(&players[i], poll_s);
    const double left_s = poll_s + leave_within_s + options->network.latency_s;
    for (int open = 1; open > 0 && poll_s < left_s;) {
        open = 0;
        for (int i = 0; i < opened; i++) {
            if (players[i].link == NULL)
                continue;
            raim_link_service(players[i].link);
            open += raim_link_is_open(players[i].link);
        }
        poll_s = next_poll(poll_s, period_s);
    }
}

int main(int argc, char **argv)
{
    const struct options options = parse_options(argc, argv);
    struct opponent *players = calloc((size_t)options.clients, sizeof *players);
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

    if (options.shaped) {
        struct shaper_def network = options.network;
        network.seed = ~options.seed;
        shaper_start(&network);
    }
    uint64_t random = options.seed;
    for (int i = 0; i < options.clients; i++) {
        players[i].server = i % options.server_count;
        snprintf(players[i].name, sizeof players[i].name, "bot-%d", i + 1);
        if (i < options.access_count)
            players[i].access_size = raim_link_read_access(options.access[i], players[i].access,
                                                           sizeof players[i].access);
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
