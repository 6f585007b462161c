// SPDX-License-Identifier: MIT
// raim-bots: many bot clients in one process over real UDP, as a load generator or as opponents.
#define _GNU_SOURCE
#include "options.h"
#include "queue.h"
#include "report.h"
#include "shaper.h"

#include "message.h"
#include "random.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <time.h>

enum { POLL_HZ = 60, FINE_POLL_HZ = 1000, SERVICE_HZ = 10 };

// A connection is begun per poll that is in time, because to join costs a client more than a second
// of playing does. Where the bots are always late, one is begun after each such interval.
static const double open_within_s = 0.1;

// The bots stop firing before the end, so that the last bullets land and the scores are final. Then
// the reports of the server and of the clients can be compared.
static const double cease_fire_s = 2;

static const double leave_within_s = 0.5; // for all goodbyes, plus the simulated latency

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void open_player(const struct options *options, struct opponent *player)
{
    char host[RAIM_LINK_HOST_BYTES];
    uint16_t port;
    if (!options_read_server(options->servers[player->server], host, &port))
        return; // options_parse has checked it
    player->require_encryption = options->require_encryption;
    player->small_datagrams = options->small_datagrams;
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

// Waits for the next poll. Polls that are more than a quarter of a second late are skipped.
static double next_poll(double poll_s, double period_s)
{
    poll_s += period_s;
    if (now_s() > poll_s + 0.25)
        poll_s = now_s();
    sleep_until(poll_s);
    shaper_flush();
    return poll_s;
}

static void service(const struct options *options, struct opponent *player,
                    struct report_samples *samples, double now, bool fire)
{
    if (options->matchmaker != NULL)
        queue_service(player, options, now, fire);
    else
        opponent_service(player, now, fire);
    report_note_pause(samples, player, now);
}

// Whether a client has ended, or could not begin.
static bool has_ended(const struct opponent *player)
{
    return player->link == NULL ||
           raim_client_get_state(raim_link_client(player->link)) == RAIM_CLIENT_ENDED;
}

// Whether a client has had no answer at all.
static bool is_unanswered(const struct opponent *player)
{
    if (player->link == NULL)
        return true;
    const struct raim_client *client = raim_link_client(player->link);
    const enum raim_client_state state = raim_client_get_state(client);
    return !player->played &&
           (state == RAIM_CLIENT_CONNECTING ||
            (state == RAIM_CLIENT_ENDED && raim_client_get_end(client).reason == RAIM_REASON_LOST));
}

static bool all_of(const struct opponent *players, int count,
                   bool (*is_so)(const struct opponent *player))
{
    for (int i = 0; i < count; i++)
        if (!is_so(&players[i]))
            return false;
    return true;
}

// Whether to go on is useless, which a line on stderr then says: every bot has ended, or the first
// bots of all servers have ended without an answer to anybody. A matchmaker may have other arenas.
static bool is_hopeless(const struct options *options, const struct opponent *players, int opened)
{
    if (options->matchmaker != NULL || opened == 0)
        return false;
    const int first =
        options->server_count < options->clients ? options->server_count : options->clients;
    if (opened >= first && all_of(players, first, has_ended) &&
        all_of(players, opened, is_unanswered)) {
        fprintf(stderr, "raim-bots: no answer from %s%s: is it running?\n", options->servers[0],
                options->server_count > 1 ? " and the others" : "");
        return true;
    }
    if (opened < options->clients || !all_of(players, opened, has_ended))
        return false;
    const char *rejection = report_first_rejection(players, opened);
    if (strcmp(rejection, "none") == 0)
        fputs("raim-bots: all bots were disconnected\n", stderr);
    else
        fprintf(stderr, "raim-bots: no bot plays; the first was rejected: %s\n", rejection);
    return true;
}

static void play(const struct options *options, struct opponent *players,
                 struct report_samples *samples)
{
    // The network simulator needs a fine clock for its delays.
    const double wanted_hz = options->shaped ? FINE_POLL_HZ : POLL_HZ;
    const double poll_hz = options->poll_hz > 0 ? options->poll_hz : wanted_hz;
    const double period_s = 1.0 / poll_hz;
    const unsigned rest = (unsigned)poll_hz / SERVICE_HZ; // polls that an idle bot may rest
    unsigned polls = 0;
    double poll_s = now_s();
    const double end_s = poll_s + options->seconds;
    const double start_s = poll_s;
    double opened_s = poll_s, sampled_s = poll_s;
    int opened = 0;
    while (!interrupted && poll_s < end_s) {
        const double begun_s = now_s();
        if (opened < options->clients &&
            (begun_s < poll_s + period_s || begun_s >= opened_s + open_within_s)) {
            if (options->matchmaker == NULL)
                open_player(options, &players[opened]);
            opened++;
            opened_s = begun_s;
        }
        const bool fire = poll_s < end_s - cease_fire_s;
        for (int i = 0; i < opened; i++)
            if ((polls + (unsigned)i) % rest == 0 || opponent_is_due(&players[i]))
                service(options, &players[i], samples, poll_s, fire);
        polls++;
        if (poll_s >= sampled_s + 1) {
            sampled_s = poll_s;
            report_sample(samples, players, opened);
            if (!options->json)
                report_second(players, opened, poll_s - start_s);
            if (is_hopeless(options, players, opened))
                break;
        }
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
            raim_link_update(players[i].link);
            open += raim_link_is_open(players[i].link);
        }
        poll_s = next_poll(poll_s, period_s);
    }
}

// One socket per client needs many file descriptors.
static void raise_file_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

static void prepare_players(const struct options *options, struct opponent *players)
{
    uint64_t random = options->seed;
    for (int i = 0; i < options->clients; i++) {
        players[i].server = options->server_count > 0 ? i % options->server_count : 0;
        snprintf(players[i].name, sizeof players[i].name, "bot-%d", i + 1);
        if (i < options->access_count)
            players[i].access_size = raim_link_read_access(options->access[i], players[i].access,
                                                           sizeof players[i].access);
        players[i].password = options->password[0] != '\0' ? options->password : NULL;
        raim_bot_init(&players[i].brain, raim_random_next(&random));
        mouse_init(&players[i].mouse, ~players[i].brain.random);
        players[i].uses_mouse = options->mouse;
    }
}

int main(int argc, char **argv)
{
    static struct options options;
    options_parse(&options, argc, argv);
    struct opponent *players = calloc((size_t)options.clients, sizeof *players);
    if (players == NULL) {
        fputs("raim-bots: out of memory\n", stderr);
        return EXIT_FAILURE;
    }
    raise_file_limit();
    prctl(PR_SET_TIMERSLACK, 1UL); // the kernel's default of 50 us would delay every poll
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (options.shaped) {
        struct shaper_def network = options.network;
        network.seed = ~options.seed;
        shaper_start(&network);
    }
    prepare_players(&options, players);
    if (options.matchmaker != NULL)
        regions_measure(options.matchmaker, &options.regions);
    static struct report_samples samples;
    play(&options, players, &samples);

    const struct report_source report = {
        players, options.clients, options.servers, options.server_count, options.seconds, &samples};
    const int connected = report_connected(&report);
    if (options.json)
        report_json(&report);
    else if (connected > 0)
        report_table(&report);
    const bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    if (!is_written)
        fputs("raim-bots: cannot write to the standard output\n", stderr);
    const bool all_played = connected == options.clients && report_disconnected(&report) == 0;
    for (int i = 0; i < options.clients; i++) {
        queue_close(&players[i]);
        raim_link_close(players[i].link);
    }
    free(players);
    const bool good = options.require_all ? all_played : connected > 0;
    return !good ? EX_UNAVAILABLE : is_written ? EXIT_SUCCESS : EXIT_FAILURE;
}
