// SPDX-License-Identifier: MIT
// Plays one match through real clients over a simulated network between two kinds of players, half
// of them each, and prints in words who hit how often.
//     bench_liars MAP_FILE SEED PLAYERS SECONDS KIND
// KIND `honest`, `acks`, `bursts` or `all`: honest aim-bots, and aim-bots that lie so, all at 0 ms
// (liar.h). KIND `far`: ordinary bots at 0 ms, and at 150 ms with 20 ms of jitter each way.
#include "liar.h"
#include "map_file.h"
#include "match_internal.h"
#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double far_ms = 150, far_jitter_ms = 20;
static const double warm_up_s = 5;
enum { HOLD_TICKS = 12 };

static const char *const kinds[] = {
    [LIAR_HONEST] = "honest", [LIAR_ACKS] = "acks", [LIAR_BURSTS] = "bursts", [LIAR_ALL] = "all"};

// Every other player is of the kind; false where there is no such kind.
static bool choose(const char *kind, struct netsim_def *def, struct liars *liars)
{
    if (strcmp(kind, "far") == 0) {
        for (uint32_t i = 1; i < def->players; i += 2)
            def->lines[i] = (struct network_line){.latency_ms = (far_ms - far_jitter_ms) / 2,
                                                  .jitter_ms = far_jitter_ms};
        return true;
    }
    uint32_t lie = 0;
    while (lie <= LIAR_ALL && strcmp(kind, kinds[lie]) != 0)
        lie++;
    for (uint32_t i = 0; i < def->players; i++) {
        liars->aims[i] = true;
        liars->lies[i] = i % 2 == 1 ? (enum liar_lie)lie : LIAR_HONEST;
    }
    liars->fires_in_bursts = lie == LIAR_BURSTS;
    return lie <= LIAR_ALL;
}

static void print_kind(const struct netsim *netsim, const char *name, uint32_t first,
                       uint32_t players)
{
    struct netsim_figures sum = {0};
    uint32_t allowed = 0, count = 0;
    for (uint32_t i = first; i < players; i += 2) {
        const struct netsim_figures figures = netsim_figures(netsim, i);
        const struct raim_match *match = netsim_match(netsim);
        const uint32_t slot = raim_client_own_slot(netsim_client(netsim, i));
        sum.shots += figures.shots;
        sum.hits += figures.hits;
        allowed +=
            raim_rewind_limit_view(&match->connections[match->sessions[slot].client].rewind_limit);
        count++;
    }
    printf("%s_shots=%" PRIu64 " %s_hits=%" PRIu64 " %s_allowed_ticks=%.2f ", name, sum.shots, name,
           sum.hits, name, (double)allowed / count);
}

int main(int argc, char **argv)
{
    static struct liars liars = {.hold_ticks = HOLD_TICKS};
    if (argc != 6) {
        fprintf(stderr, "usage: bench_liars MAP_FILE SEED PLAYERS SECONDS KIND\n");
        return 64;
    }
    struct diagnostics report = {.out = stderr};
    struct raim_map *map =
        map_file_load(argv[1], NULL, raim_rules_default().player_radius, &report);
    if (map == NULL)
        return 78;
    const uint32_t players = (uint32_t)strtoul(argv[3], NULL, 10);
    const struct network_line near = {0};
    struct netsim_def def = netsim_def_of(map, players, &near, strtoull(argv[2], NULL, 10));
    const struct netsim_liar hooks = liars_hooks(&liars);
    def.liar = &hooks;
    if (!choose(argv[5], &def, &liars)) {
        fprintf(stderr, "bench_liars: no such kind: '%s'\n", argv[5]);
        return 64;
    }
    struct netsim *netsim = netsim_create(&def);
    liars.netsim = netsim;
    bool good = netsim != NULL && netsim_enter(netsim, warm_up_s);
    if (good) {
        const uint64_t clamped = raim_match_counts(netsim_match(netsim)).hits.clamped;
        netsim_measure(netsim);
        good = netsim_run(netsim, strtod(argv[4], NULL));
        print_kind(netsim, "base", 0, players);
        print_kind(netsim, "kind", 1, players);
        printf("clamped=%" PRIu64 "\n",
               raim_match_counts(netsim_match(netsim)).hits.clamped - clamped);
    }
    netsim_destroy(netsim);
    raim_map_destroy(map);
    return good ? 0 : 1;
}
