// SPDX-License-Identifier: MIT
// What does a checkpoint cost a tick? A match of bots is played, and written down after every step,
// into a file of the daemon's.
//
//   bench_checkpoint DIRECTORY PLAYERS TICKS
//     Prints "save_us=... p90_us=... p99_us=... bytes=... step_us=...", medians and quantiles over
//     the ticks; the step is there to compare, and to leave no more in the caches than it does when
//     the daemon runs.
#define _GNU_SOURCE

#include "checkpoint_file.h"
#include "config.h"
#include "measure.h"

#include <stdio.h>

static const uint32_t warmup_ticks = 600;

struct bench {
    struct raim_match *match;
    struct checkpoint *checkpoint;
    struct checkpoint_address addresses[RAIM_MAX_PLAYERS];
    int ticks;
    double *save_us, *step_us;
};

static void step(struct raim_match *match)
{
    struct raim_outgoing outgoing;
    raim_match_step(match);
    while (raim_match_outgoing(match, &outgoing)) {
    }
}

static bool open_bench(struct bench *bench, const struct config *config, const char *directory,
                       uint32_t players)
{
    char error[256] = "out of memory";
    struct raim_match_def def = raim_match_default_def();
    def.map = config->arenas[0].match.map;
    def.bots = players - 1;
    def.bot_skill = RAIM_BOT_WANDERS;
    def.tuning.max_players = 1;
    def.seed = 1;
    bench->match = raim_match_create(&def);
    bench->checkpoint = checkpoint_create(directory, "bench");
    bench->save_us = calloc((size_t)bench->ticks, sizeof(double));
    bench->step_us = calloc((size_t)bench->ticks, sizeof(double));
    const bool good = bench->match != NULL && bench->checkpoint != NULL && bench->save_us != NULL &&
                      bench->step_us != NULL &&
                      checkpoint_bind(bench->checkpoint, bench->match, &(struct checkpoint_map){0},
                                      bench->addresses, error, sizeof error);
    if (!good)
        fprintf(stderr, "bench_checkpoint: %s\n", error);
    return good;
}

static void close_bench(struct bench *bench)
{
    if (bench->checkpoint != NULL)
        checkpoint_remove(bench->checkpoint);
    checkpoint_destroy(bench->checkpoint);
    raim_match_destroy(bench->match);
    free(bench->save_us);
    free(bench->step_us);
}

static void run(struct bench *bench)
{
    for (uint32_t i = 0; i < warmup_ticks; i++)
        step(bench->match);
    for (int i = 0; i < bench->ticks; i++) {
        const int64_t begin = measure_ns(CLOCK_MONOTONIC);
        step(bench->match);
        const int64_t middle = measure_ns(CLOCK_MONOTONIC);
        checkpoint_save(bench->checkpoint, bench->match, bench->addresses);
        const int64_t end = measure_ns(CLOCK_MONOTONIC);
        bench->step_us[i] = (double)(middle - begin) / 1000;
        bench->save_us[i] = (double)(end - middle) / 1000;
    }
    printf("save_us=%.2f p90_us=%.2f p99_us=%.2f bytes=%zu step_us=%.1f\n",
           measure_quantile(bench->save_us, bench->ticks, 0.5),
           measure_quantile(bench->save_us, bench->ticks, 0.9),
           measure_quantile(bench->save_us, bench->ticks, 0.99),
           raim_match_checkpoint_size(bench->match),
           measure_quantile(bench->step_us, bench->ticks, 0.5));
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: bench_checkpoint DIRECTORY PLAYERS TICKS\n");
        return 64;
    }
    static struct bench bench;
    struct config *config = config_demo(NULL, &(struct diagnostics){.out = stderr});
    bench.ticks = atoi(argv[3]);
    const bool good = config != NULL && bench.ticks > 0 &&
                      open_bench(&bench, config, argv[1], (uint32_t)atoi(argv[2]));
    if (good)
        run(&bench);
    close_bench(&bench);
    config_unload(config);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
