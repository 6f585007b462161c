// SPDX-License-Identifier: MIT
// Plays one match of bots behind slow lines on a map and prints how fair it was, in words: a line
// for each latency of viewers and kind of what they see.
//     bench_fairness MAP_FILE [SEED [PLAYERS [TICKS [EXPLAINED]]]]
#include "fairness_match.h"
#include "map_file.h"
#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_row(const struct fairness_row *row, const char *kind,
                      const struct fairness_tally *tally)
{
    printf("rtt_ms=%" PRIu32 " loop_ticks=%" PRIu32 " kind=%s viewer_ticks=%" PRIu64, row->rtt_ms,
           row->loop_ticks, kind, row->viewer_ticks);
    printf(" told=%" PRIu64 " plain=%" PRIu64 " soon=%" PRIu64 " leaks=%" PRIu64 " wrong=%" PRIu64,
           tally->told, tally->plain, tally->soon, tally->leaks, tally->wrong);
    printf(" inside=%" PRIu64 " hidden=%" PRIu64 " hidden_sent=%" PRIu64, tally->inside,
           tally->hidden, tally->hidden_sent);
    printf(" reveals=%" PRIu64 " late=%" PRIu64 " jumps=%" PRIu64 "\n", tally->reveals, tally->late,
           tally->jumps);
}

// The number that is argument `index`, or `usual` where there is none.
static uint32_t argument(int argc, char **argv, int index, uint32_t usual)
{
    return index < argc ? (uint32_t)strtoul(argv[index], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
    struct fairness_def def = {
        .rules = raim_rules_default(),
        .seed = argument(argc, argv, 2, 1),
        .players = argument(argc, argv, 3, 24),
        .ticks = argument(argc, argv, 4, 3600),
        .explained = argument(argc, argv, 5, 0),
    };
    if (argc < 2 || def.players < FAIRNESS_LATENCIES || def.players > FAIRNESS_MAX_PLAYERS ||
        def.ticks < 1 || def.ticks > 10000000) {
        fprintf(stderr, "usage: bench_fairness MAP_FILE [SEED [PLAYERS [TICKS [EXPLAINED]]]]\n");
        return 64;
    }
    struct diagnostics report = {.out = stderr};
    struct raim_map *map =
        map_file_load(argv[1], NULL, raim_rules_default().player_radius, &report);
    if (map == NULL)
        return 78;
    def.map = map;
    struct fairness_row rows[FAIRNESS_LATENCIES];
    const bool good = fairness_play(&def, rows);
    raim_map_destroy(map);
    if (!good) {
        fprintf(stderr, "the match broke off\n");
        return 1;
    }
    for (int i = 0; i < FAIRNESS_LATENCIES; i++) {
        print_row(&rows[i], "players", &rows[i].players);
        print_row(&rows[i], "bullets", &rows[i].bullets);
    }
    return 0;
}
