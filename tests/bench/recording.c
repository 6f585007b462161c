// SPDX-License-Identifier: MIT
// Makes recordings without a daemon, and measures what making and replaying them costs.
//
//   bench_recording make FILE MAP SECONDS BOTS CLIENTS [SEED]
//     Plays a match of bots, and of clients that see it and press keys as bots do, and writes its
//     recording. Prints "step_us=... recorded_us=... bytes=...": the mean tick of the match, the
//     same of a match that is recorded (its twin, in turns), and the size of the file.
//   bench_recording replay FILE [SEEKS]
//     Prints "ticks_per_s=... realtime=... seek_ms=...": replays all of it, and seeks at random.
#define _GNU_SOURCE

#include "recording.h"
#include "diagnostics.h"
#include "lagged_client.h"
#include "map_file.h"
#include "measure.h"
#include "random.h"
#include "recording_input.h"
#include "recording_writer.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CLIENTS = 64, ROUND_TRIP_TICKS = 4 };

// One of the two matches.
struct game {
    struct raim_match *match;
    struct lagged_client clients[MAX_CLIENTS];
    struct raim_recording_input *records;
    int64_t spent_ns;
};

struct bench {
    struct raim_map *map;
    uint32_t client_count;
    struct game plain, recorded;
    struct raim_recording_writer *writer;
    FILE *file;
    size_t bytes;
};

static bool write_out(struct bench *bench)
{
    size_t size;
    const uint8_t *bytes = raim_recording_writer_take(bench->writer, &size);
    bench->bytes += size;
    return size == 0 || fwrite(bytes, 1, size, bench->file) == size;
}

static bool take(struct bench *bench)
{
    size_t size;
    const uint8_t *chunk = raim_recording_input_take(bench->recorded.records, &size);
    return chunk == NULL ||
           (raim_recording_writer_append(bench->writer, chunk, size) && write_out(bench));
}

static bool open_game(struct game *game, const struct bench *bench, uint32_t bots, uint64_t seed)
{
    struct raim_match_def def = raim_match_default_def();
    def.map = bench->map;
    def.bots = bots;
    def.bot_skill = RAIM_BOT_WANDERS;
    def.tuning.max_players = bench->client_count > 0 ? bench->client_count : 1;
    def.seed = seed;
    strcpy(def.arena, "bench");
    game->match = raim_match_create(&def);
    if (game->match == NULL)
        return false;
    for (uint32_t i = 0; i < bench->client_count; i++) {
        lagged_client_init(&game->clients[i], i, ROUND_TRIP_TICKS, bench->map,
                           (raim_vec2){def.view_width, def.view_height}, seed + i);
        lagged_client_enter(&game->clients[i], game->match);
    }
    return true;
}

static void close_game(struct game *game, const struct bench *bench)
{
    for (uint32_t i = 0; i < bench->client_count; i++)
        lagged_client_release(&game->clients[i]);
    raim_match_destroy(game->match);
    free(game->records);
}

static bool tick(struct game *game, const struct bench *bench)
{
    struct raim_outgoing outgoing;
    bool is_good = true;
    for (uint32_t i = 0; i < bench->client_count; i++)
        lagged_client_deliver(&game->clients[i], game->match);
    int64_t begin = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    raim_match_step(game->match);
    while (raim_match_outgoing(game->match, &outgoing)) {
        game->spent_ns += measure_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
        is_good =
            is_good && lagged_client_take(&game->clients[outgoing.client], game->match, &outgoing);
        begin = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    game->spent_ns += measure_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    for (uint32_t i = 0; i < bench->client_count; i++)
        lagged_client_play(&game->clients[i], game->match);
    return is_good;
}

// Begins to record.
static bool begin(struct bench *bench, uint64_t seed)
{
    struct raim_match *match = bench->recorded.match;
    struct raim_recording_scene scene;
    raim_match_scene(match, &scene);
    strcpy(scene.version, RAIM_VERSION);
    const size_t bound = raim_recording_scene_bound(&scene);
    uint8_t *bytes = malloc(bound);
    void *memory = malloc(raim_recording_input_bytes(raim_match_world(match)));
    bench->writer = raim_recording_writer_create();
    const bool is_good = bytes != NULL && memory != NULL && bench->writer != NULL &&
                         raim_recording_writer_begin(
                             bench->writer, bytes, raim_recording_scene_write(&scene, bytes, bound),
                             raim_match_tick(match), 1700000000000);
    free(bytes);
    if (!is_good) {
        free(memory);
        return false;
    }
    bench->recorded.records = raim_recording_input_init(memory, raim_match_world(match));
    raim_match_record(match, bench->recorded.records, seed);
    return take(bench);
}

static bool play(struct bench *bench, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        struct game *first = i % 2 == 0 ? &bench->plain : &bench->recorded;
        struct game *second = i % 2 == 0 ? &bench->recorded : &bench->plain;
        if (!tick(first, bench) || !tick(second, bench))
            return false;
        const int64_t start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
        if (raim_recording_input_has_overflowed(bench->recorded.records))
            return false;
        const bool is_due = raim_recording_input_wants_keyframe(bench->recorded.records);
        bench->recorded.spent_ns += measure_ns(CLOCK_THREAD_CPUTIME_ID) - start;
        if (!take(bench))
            return false;
        if (is_due) {
            const int64_t from = measure_ns(CLOCK_THREAD_CPUTIME_ID);
            raim_match_keyframe(bench->recorded.match);
            bench->recorded.spent_ns += measure_ns(CLOCK_THREAD_CPUTIME_ID) - from;
            if (!take(bench))
                return false;
        }
    }
    raim_match_record(bench->recorded.match, NULL, 0);
    return take(bench) && raim_recording_writer_end(bench->writer) && write_out(bench);
}

static int make(int argc, char **argv)
{
    static struct bench bench;
    struct diagnostics report = {0};
    const uint32_t ticks = (uint32_t)(atof(argv[4]) * 60);
    const uint64_t seed = argc > 7 ? strtoull(argv[7], NULL, 0) : 1;
    bench.map = map_file_load(argv[3], NULL, raim_rules_default().player_radius, &report);
    bench.client_count = (uint32_t)atoi(argv[6]);
    bench.file = fopen(argv[2], "wb");
    const uint32_t bots = (uint32_t)atoi(argv[5]);
    const bool is_good = bench.map != NULL && bench.file != NULL &&
                         bench.client_count <= MAX_CLIENTS &&
                         open_game(&bench.plain, &bench, bots, seed) &&
                         open_game(&bench.recorded, &bench, bots, seed) && begin(&bench, seed) &&
                         play(&bench, ticks);
    if (is_good)
        printf("step_us=%.2f recorded_us=%.2f bytes=%zu\n",
               (double)bench.plain.spent_ns / 1000 / ticks,
               (double)bench.recorded.spent_ns / 1000 / ticks, bench.bytes);
    else
        fprintf(stderr, "bench_recording: it failed\n");
    close_game(&bench.plain, &bench);
    close_game(&bench.recorded, &bench);
    raim_recording_writer_destroy(bench.writer);
    raim_map_destroy(bench.map);
    if (bench.file != NULL)
        fclose(bench.file);
    return is_good ? 0 : 1;
}

static uint8_t *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    *size = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*size + 1);
        if (bytes != NULL && fread(bytes, 1, *size, file) != *size)
            *size = 0;
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

static double replay_all(struct raim_recording *recording)
{
    const int64_t begin = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    while (raim_recording_step(recording)) {
    }
    return (double)(measure_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / 1e9;
}

static int replay(int argc, char **argv)
{
    char error[RAIM_RECORDING_ERROR_BYTES] = "it cannot be read";
    size_t size;
    uint8_t *bytes = load(argv[2], &size);
    struct raim_recording *recording =
        bytes != NULL ? raim_recording_open(bytes, size, error, sizeof error) : NULL;
    if (recording == NULL) {
        fprintf(stderr, "bench_recording: %s: %s\n", argv[2], error);
        free(bytes);
        return 1;
    }
    const struct raim_recording_info *info = raim_recording_info(recording);
    uint32_t chapters, players;
    raim_recording_chapters(recording, &chapters);
    raim_recording_players(recording, &players);
    const double with_sent_s = replay_all(recording);
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    if (fault != NULL)
        fprintf(stderr, "bench_recording: %s: frame at %llu, tick %u (agreed %u): %s\n", argv[2],
                (unsigned long long)fault->offset, fault->tick, fault->agreed, fault->why);
    double most_ms = 0;
    uint64_t random = 1;
    for (int i = 0; i < (argc > 3 ? atoi(argv[3]) : 50) && fault == NULL; i++) {
        const int64_t begin = measure_ns(CLOCK_THREAD_CPUTIME_ID);
        raim_recording_seek(recording, raim_random_below(&random, info->ticks + 1));
        const double ms = (double)(measure_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / 1e6;
        most_ms = ms > most_ms ? ms : most_ms;
        fault = raim_recording_fault(recording);
    }
    raim_recording_seek(recording, 0);
    raim_recording_skip_sent(recording);
    const double s = replay_all(recording);
    printf("ticks=%u chapters=%u players=%u comparisons=%u ticks_per_s=%.0f realtime=%.0f "
           "with_sent=%.0f seek_ms=%.1f\n",
           info->ticks, chapters, players, raim_recording_comparisons(recording), info->ticks / s,
           info->ticks / s / info->tick_hz, info->ticks / with_sent_s / info->tick_hz, most_ms);
    const bool is_good = raim_recording_fault(recording) == NULL && fault == NULL;
    raim_recording_close(recording);
    free(bytes);
    return is_good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc >= 7 && strcmp(argv[1], "make") == 0)
        return make(argc, argv);
    if (argc >= 3 && strcmp(argv[1], "replay") == 0)
        return replay(argc, argv);
    fprintf(stderr, "usage: bench_recording make FILE MAP SECONDS BOTS CLIENTS [SEED]\n"
                    "       bench_recording replay FILE [SEEKS]\n");
    return 2;
}
