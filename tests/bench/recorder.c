// SPDX-License-Identifier: MIT
// What does recording cost a tick, and how large are the files? Two equal matches play in turns,
// and one of them is recorded as raimd does it, with its thread and files.
//
//   bench_recorder DIRECTORY MAP SECONDS CLIENTS BOTS [SEED]
//     Clients see the match as they do over a network and press keys as bots do. Prints
//     "plain_us=... recorded_us=... hook_us=... bytes=... dropped=...": the medians of the
//     processor time of a tick without and with recording and of what the arena does after a tick
//     for it, the size of the files, and recordings that the recorder was too slow for.
#define _GNU_SOURCE
#include "arena_recording.h"
#include "diagnostics.h"
#include "lagged_client.h"
#include "map_file.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUND_TRIP_TICKS = 4, HZ = 60, WARM_TICKS = 10 * HZ };

// A message on its way from a match to a client. The clients take their time outside of the tick's.
struct message {
    uint32_t client, reason;
    bool reliable, close;
    size_t size;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
};

struct game {
    struct raim_match *match;
    struct lagged_client *clients;
    struct message *messages;
    uint32_t message_count, message_capacity;
    int64_t *tick_ns; // of each tick
};

struct bench {
    struct raim_map *map;
    uint32_t client_count, ticks;
    struct game plain, recorded;
    struct recorder *recorder;
    struct recording_memory records;
    struct arena_recording recording;
    struct config_arena config;
    int64_t *hook_ns; // of each tick
};

static bool open_game(struct game *game, const struct bench *bench, uint32_t bots, uint64_t seed)
{
    struct raim_match_def def = raim_match_default_def();
    def.map = bench->map;
    def.bots = bots;
    def.bot_skill = RAIM_BOT_WANDERS;
    def.tuning.max_players = bench->client_count > 0 ? bench->client_count : 1;
    def.max_connections = def.tuning.max_players + 8;
    def.seed = seed;
    game->match = raim_match_create(&def);
    game->clients = calloc(bench->client_count + 1, sizeof *game->clients);
    game->tick_ns = calloc(bench->ticks, sizeof *game->tick_ns);
    if (game->match == NULL || game->clients == NULL || game->tick_ns == NULL)
        return false;
    for (uint32_t i = 0; i < bench->client_count; i++) {
        lagged_client_init(&game->clients[i], i, ROUND_TRIP_TICKS, bench->map,
                           (raim_vec2){def.view_width, def.view_height}, seed + i);
        lagged_client_enter(&game->clients[i], game->match);
    }
    return true;
}

// Takes a message of the match, as the transport would.
static bool queue(struct game *game, const struct raim_outgoing *outgoing)
{
    if (game->message_count == game->message_capacity) {
        const uint32_t capacity = 2 * game->message_capacity + 256;
        struct message *longer = realloc(game->messages, capacity * sizeof *longer);
        if (longer == NULL)
            return false;
        game->messages = longer;
        game->message_capacity = capacity;
    }
    struct message *message = &game->messages[game->message_count++];
    message->client = outgoing->client;
    message->reliable = outgoing->reliable;
    message->close = outgoing->close;
    message->reason = outgoing->reason;
    message->size = outgoing->size;
    memcpy(message->bytes, outgoing->data, outgoing->size);
    return true;
}

static bool deliver(struct game *game)
{
    bool is_good = true;
    for (uint32_t i = 0; i < game->message_count; i++) {
        const struct message *message = &game->messages[i];
        const struct raim_outgoing outgoing = {.client = message->client,
                                               .reliable = message->reliable,
                                               .close = message->close,
                                               .reason = message->reason,
                                               .data = message->bytes,
                                               .size = message->size};
        is_good =
            is_good && lagged_client_take(&game->clients[message->client], game->match, &outgoing);
    }
    game->message_count = 0;
    return is_good;
}

// Plays a tick; `recording` NULL: without.
static bool play_tick(struct bench *bench, struct game *game, struct arena_recording *recording,
                      uint32_t tick)
{
    struct raim_outgoing outgoing;
    bool is_good = true;
    for (uint32_t i = 0; i < bench->client_count; i++)
        lagged_client_deliver(&game->clients[i], game->match);
    const int64_t begin_ns = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    raim_match_step(game->match);
    while (raim_match_outgoing(game->match, &outgoing))
        is_good = queue(game, &outgoing) && is_good;
    const int64_t hook_ns = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    if (recording != NULL)
        arena_recording_run(recording, game->match, &bench->config);
    const int64_t end_ns = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    game->tick_ns[tick] = end_ns - begin_ns;
    if (recording != NULL)
        bench->hook_ns[tick] = end_ns - hook_ns;
    is_good = deliver(game) && is_good;
    for (uint32_t i = 0; i < bench->client_count; i++)
        lagged_client_play(&game->clients[i], game->match);
    return is_good;
}

// Plays both games in turns. Neither is always the first.
static bool play(struct bench *bench)
{
    bool is_good = true;
    for (uint32_t i = 0; i < bench->ticks && is_good; i++) {
        if (i % 2 == 0)
            is_good = play_tick(bench, &bench->plain, NULL, i);
        is_good = is_good && play_tick(bench, &bench->recorded, &bench->recording, i);
        if (i % 2 == 1)
            is_good = is_good && play_tick(bench, &bench->plain, NULL, i);
        // The time passes faster than the recorder's thread expects.
        struct recorder_counts counts = recorder_stream_counts(bench->recording.stream);
        if (i % (60 * HZ) == 0 && counts.bytes > 0)
            usleep(300000);
    }
    return is_good;
}

static bool open_recorder(struct bench *bench, const char *directory, const struct wakeup *wakeup)
{
    const struct recordings_limits limits = {.bytes = UINT64_MAX};
    char error[256];
    const struct raim_world *world = raim_match_world(bench->recorded.match);
    bench->recorder = recorder_open(directory, &limits, wakeup, error, sizeof error);
    if (bench->recorder == NULL || !recorder_start(bench->recorder, error, sizeof error) ||
        !recording_memory_create(&bench->records, bench->recorded.match))
        return false;
    bench->recording.records = &bench->records;
    bench->recording.stream =
        recorder_open_stream(bench->recorder, raim_world_bytes(world), world->max_players);
    bench->hook_ns = calloc(bench->ticks, sizeof *bench->hook_ns);
    strcpy(bench->config.name, "bench");
    return bench->recording.stream != NULL && bench->hook_ns != NULL;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median_us(int64_t *ns, uint32_t ticks)
{
    const uint32_t first = ticks > 2 * WARM_TICKS ? WARM_TICKS : 0;
    qsort(ns + first, ticks - first, sizeof *ns, compare);
    return (double)ns[first + (ticks - first) / 2] / 1000;
}

static void close_game(struct game *game, const struct bench *bench)
{
    for (uint32_t i = 0; game->clients != NULL && i < bench->client_count; i++)
        lagged_client_release(&game->clients[i]);
    raim_match_destroy(game->match);
    free(game->clients);
    free(game->messages);
    free(game->tick_ns);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct diagnostics report = {.out = stderr};
    struct wakeup wakeup;
    if (argc < 6 || !wakeup_open(&wakeup)) {
        fprintf(stderr, "usage: bench_recorder DIRECTORY MAP SECONDS CLIENTS BOTS [SEED]\n");
        return 2;
    }
    const uint64_t seed = argc > 6 ? strtoull(argv[6], NULL, 0) : 1;
    bench.map = map_file_load(argv[2], NULL, raim_rules_default().player_radius, &report);
    bench.ticks = (uint32_t)(atof(argv[3]) * HZ);
    bench.client_count = (uint32_t)atoi(argv[4]);
    const uint32_t bots = (uint32_t)atoi(argv[5]);
    bench.config.match.bots = bots;
    bench.config.recording = CONFIG_RECORDING_ALL;
    if (bench.map == NULL || !open_game(&bench.plain, &bench, bots, seed) ||
        !open_game(&bench.recorded, &bench, bots, seed) ||
        !open_recorder(&bench, argv[1], &wakeup) || !play(&bench)) {
        fprintf(stderr, "bench_recorder: it failed\n");
        return 1;
    }
    arena_recording_end(&bench.recording, bench.recorded.match);
    struct recorder_counts counts = recorder_stream_counts(bench.recording.stream);
    while (counts.finished + counts.failed < counts.begun) {
        usleep(10000);
        counts = recorder_stream_counts(bench.recording.stream);
    }
    printf("plain_us=%.2f recorded_us=%.2f hook_us=%.2f bytes=%llu dropped=%llu\n",
           median_us(bench.plain.tick_ns, bench.ticks),
           median_us(bench.recorded.tick_ns, bench.ticks), median_us(bench.hook_ns, bench.ticks),
           (unsigned long long)counts.bytes, (unsigned long long)counts.dropped);
    recorder_close_stream(bench.recording.stream);
    recorder_close(bench.recorder);
    recording_memory_destroy(&bench.records);
    close_game(&bench.plain, &bench);
    close_game(&bench.recorded, &bench);
    free(bench.hook_ns);
    raim_map_destroy(bench.map);
    wakeup_close(&wakeup);
    return counts.failed + counts.dropped > 0 ? 1 : 0;
}
