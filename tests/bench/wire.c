// SPDX-License-Identifier: MIT
// Bandwidth of snapshots in two encodings: whole, and predicted deltas (the product).
//
//   bench_wire MAP PLAYERS DELAY_TICKS LOSS SEED SECONDS
//     Plays and prints figures (kind=variant), costs (kind=cost), where the product's bits went
//     (kind=part, kind=aim) and how many bits changes need (kind=need).
// Whatever the match sends is checked against the world, and each way is read back.
#define _GNU_SOURCE

#include "diagnostics.h"
#include "map_file.h"
#include "measure.h"
#include "random.h"
#include "rules.h"
#include "wire_census.h"
#include "wire_play.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    TICK_HZ = 60,
    WARMUP_S = 10,    // until all players have spawned and moved
    MAX_BYTES = 8192, // of a whole snapshot, which the product would cut
    SAMPLES = 128,    // snapshots that are timed
    ROUNDS = 41,
};

// A frame to encode.
struct job {
    const struct raim_wire_limits *limits;
    const struct raim_wire_frame *frame;
    const struct raim_wire_frame *baseline; // of the product, or NULL
    uint32_t near_tick;
};

// --- the two ways ---

static size_t write_full(const struct job *job, uint8_t *bytes)
{
    return raim_snapshot_write(job->limits, NULL, job->frame, bytes, MAX_BYTES);
}

static size_t write_predicted(const struct job *job, uint8_t *bytes)
{
    return raim_snapshot_write(job->limits, job->baseline, job->frame, bytes, MAX_BYTES);
}

static bool read_product(const struct job *job, const struct raim_wire_frame *baseline,
                         const uint8_t *bytes, size_t size, struct raim_wire_frame *frame)
{
    raim_reader reader = raim_reader_make(bytes, size);
    struct raim_snapshot_header header;
    return raim_message_read(&reader) == RAIM_MESSAGE_SNAPSHOT &&
           raim_snapshot_read_header(&reader, job->limits, job->near_tick, &header) &&
           (baseline == NULL) == (header.baseline_age == 0) &&
           raim_snapshot_read(&reader, &header, job->limits, baseline, frame);
}

static bool read_full(const struct job *job, const uint8_t *bytes, size_t size,
                      struct raim_wire_frame *frame)
{
    return read_product(job, NULL, bytes, size, frame);
}

static bool read_predicted(const struct job *job, const uint8_t *bytes, size_t size,
                           struct raim_wire_frame *frame)
{
    return read_product(job, job->baseline, bytes, size, frame);
}

enum { FULL, PREDICTED, VARIANTS };

static const struct variant {
    const char *name;
    size_t (*write)(const struct job *job, uint8_t *bytes);
    bool (*read)(const struct job *job, const uint8_t *bytes, size_t size,
                 struct raim_wire_frame *frame);
    bool every_tick; // without the rule that what is predicted is not sent
} variants[VARIANTS] = {
    [FULL] = {"full", write_full, read_full, true},
    [PREDICTED] = {"predicted", write_predicted, read_predicted, false},
};

struct figures {
    uint64_t snapshots, bytes;
    uint64_t visible, moving;  // players in them
    uint64_t sizes[MAX_BYTES]; // snapshots by bytes
    double write_ns, read_ns;
};

struct bench {
    struct play *play;
    struct figures figures[VARIANTS];
    struct census census;
    uint64_t client_ticks, moving; // seen in all of them
    struct play_cost costs;        // sums
    struct raim_wire_frame scratch;
    struct job samples[SAMPLES];
    uint32_t sample_count;
    uint64_t random;
};

// --- checking ---

#define FOR_EACH_SLOT(slot, set, limit)                                                            \
    for (uint32_t slot = raim_set_next(set, 0, limit); slot < (limit);                             \
         slot = raim_set_next(set, (slot) + 1, limit))

// A bullet may be encoded by its launch or by its position.
static bool same_bullet(const raim_wire_bullet *bullet, const raim_wire_bullet *read, uint32_t tick)
{
    const bool launch = read->tick == bullet->tick && read->x == bullet->x &&
                        read->y == bullet->y && read->rewind == bullet->rewind;
    const bool here = read->tick == tick && read->x == bullet->now_x && read->y == bullet->now_y &&
                      read->rewind == 0;
    return read->aim == bullet->aim && (launch || here);
}

static bool same_frame(const struct raim_wire_limits *limits, const struct raim_wire_frame *frame,
                       const struct raim_wire_frame *read)
{
    const uint32_t bullets = raim_wire_bullets(limits);
    if (read->tick != frame->tick || !raim_wire_same_self(&frame->self, &read->self) ||
        memcmp(frame->seen_players, read->seen_players,
               raim_set_words(limits->players) * sizeof(uint64_t)) != 0 ||
        memcmp(frame->seen_bullets, read->seen_bullets,
               raim_set_words(bullets) * sizeof(uint64_t)) != 0)
        return false;
    FOR_EACH_SLOT (slot, frame->seen_players, limits->players)
        if (!raim_wire_same_course(&frame->players[slot], &read->players[slot]) ||
            read->players[slot].aim != frame->players[slot].aim)
            return false;
    FOR_EACH_SLOT (slot, frame->seen_bullets, bullets)
        if (!same_bullet(&frame->bullets[slot], &read->bullets[slot], frame->tick))
            return false;
    return true;
}

// --- playing ---

static struct job job_of(const struct bench *bench, const struct play_telling *telling)
{
    return (struct job){
        .limits = play_limits(bench->play),
        .frame = telling->frame,
        .baseline = telling->baseline,
        .near_tick = telling->near_tick,
    };
}

static bool tell(struct bench *bench, int index, const struct play_telling *telling)
{
    const struct variant *variant = &variants[index];
    if (telling->size == 0 && !variant->every_tick)
        return true;
    const struct job job = job_of(bench, telling);
    uint8_t bytes[MAX_BYTES];
    const size_t size = variant->write(&job, bytes);
    if (size == 0 || !variant->read(&job, bytes, size, &bench->scratch) ||
        !same_frame(job.limits, job.frame, &bench->scratch)) {
        fprintf(stderr, "tick %u: a snapshot told as %s is not read as it was\n",
                (unsigned)job.frame->tick, variant->name);
        return false;
    }
    if (index == PREDICTED && (size != telling->size || memcmp(bytes, telling->bytes, size) != 0)) {
        fprintf(stderr, "tick %u: what the match sent is not what its frame is written as\n",
                (unsigned)job.frame->tick);
        return false;
    }
    struct figures *figures = &bench->figures[index];
    figures->snapshots++;
    figures->bytes += size;
    figures->visible += telling->visible;
    figures->moving += telling->moving;
    figures->sizes[size]++;
    return true;
}

static struct raim_wire_frame *copy_frame(const struct raim_wire_limits *limits,
                                          const struct raim_wire_frame *frame)
{
    if (frame == NULL)
        return NULL;
    struct raim_wire_frame *copy = malloc(sizeof *copy);
    void *memory = calloc(1, raim_wire_frame_bytes(limits));
    if (copy == NULL || memory == NULL)
        abort();
    const uint32_t bullets = raim_wire_bullets(limits);
    raim_wire_frame_init(copy, limits, memory);
    copy->tick = frame->tick;
    copy->self = frame->self;
    memcpy(copy->players, frame->players, limits->players * sizeof *copy->players);
    memcpy(copy->bullets, frame->bullets, bullets * sizeof *copy->bullets);
    memcpy(copy->seen_players, frame->seen_players, raim_set_words(limits->players) * 8);
    memcpy(copy->seen_bullets, frame->seen_bullets, raim_set_words(bullets) * 8);
    return copy;
}

// Keeps one in so many of the snapshots sent, to be timed later. What is kept lives to the end.
static void maybe_keep(struct bench *bench, const struct play_telling *telling, uint32_t one_in)
{
    if (telling->size == 0 || bench->sample_count == SAMPLES ||
        raim_random_below(&bench->random, one_in) != 0)
        return;
    const struct raim_wire_limits *limits = play_limits(bench->play);
    struct job *job = &bench->samples[bench->sample_count++];
    *job = job_of(bench, telling);
    job->frame = copy_frame(limits, telling->frame);
    job->baseline = copy_frame(limits, telling->baseline);
}

static bool measure_tick(struct bench *bench, uint32_t players, uint32_t one_in)
{
    const struct play_cost cost = play_last_cost(bench->play);
    bench->costs.step_ns += cost.step_ns;
    bench->costs.world_ns += cost.world_ns;
    bench->costs.outgoing_ns += cost.outgoing_ns;
    bench->costs.told += cost.told;
    bench->costs.event_bytes += cost.event_bytes;
    for (uint32_t i = 0; i < players; i++) {
        struct play_telling telling;
        if (!play_telling_of(bench->play, i, &telling))
            continue;
        bench->client_ticks++;
        bench->moving += telling.moving;
        for (int index = 0; index < VARIANTS; index++)
            if (!tell(bench, index, &telling))
                return false;
        if (telling.size > 0 && !census_add(&bench->census, play_limits(bench->play),
                                            telling.baseline, telling.frame, telling.size)) {
            fprintf(stderr, "the parts of a snapshot are not the whole\n");
            return false;
        }
        maybe_keep(bench, &telling, one_in);
    }
    return true;
}

// --- time ---

static void time_variant(struct bench *bench, int index, int round, double (*write_ns)[ROUNDS],
                         double (*read_ns)[ROUNDS])
{
    static uint8_t bytes[SAMPLES][MAX_BYTES];
    size_t sizes[SAMPLES];
    const struct variant *variant = &variants[index];
    const uint32_t count = bench->sample_count;
    int64_t start = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = variant->write(&bench->samples[i], bytes[i]);
    const int64_t middle = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t i = 0; i < count; i++)
        variant->read(&bench->samples[i], bytes[i], sizes[i], &bench->scratch);
    const int64_t end = measure_ns(CLOCK_THREAD_CPUTIME_ID);
    write_ns[index][round] = (double)(middle - start) / count;
    read_ns[index][round] = (double)(end - middle) / count;
}

static void measure_times(struct bench *bench)
{
    double write_ns[VARIANTS][ROUNDS], read_ns[VARIANTS][ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        for (int index = 0; index < VARIANTS; index++)
            time_variant(bench, index, round, write_ns, read_ns);
    for (int index = 0; index < VARIANTS; index++) {
        bench->figures[index].write_ns = measure_quantile(write_ns[index], ROUNDS, 0.5);
        bench->figures[index].read_ns = measure_quantile(read_ns[index], ROUNDS, 0.5);
    }
}

// --- printing ---

static uint32_t size_quantile(const struct figures *figures, double fraction)
{
    uint64_t below = 0;
    for (uint32_t size = 0; size < MAX_BYTES; size++) {
        below += figures->sizes[size];
        if ((double)below > fraction * (double)figures->snapshots)
            return size;
    }
    return MAX_BYTES;
}

static void print_variants(const struct bench *bench)
{
    for (int index = 0; index < VARIANTS; index++) {
        const struct figures *figures = &bench->figures[index];
        const double count = (double)figures->snapshots;
        printf("kind=variant variant=%s snapshots=%" PRIu64 " client_ticks=%" PRIu64
               " bytes=%.3f p99=%u visible=%.2f moving=%.2f moving_tick=%.2f write_ns=%.0f"
               " read_ns=%.0f\n",
               variants[index].name, figures->snapshots, bench->client_ticks,
               (double)figures->bytes / count, (unsigned)size_quantile(figures, 0.99),
               (double)figures->visible / count, (double)figures->moving / count,
               (double)bench->moving / (double)bench->client_ticks, figures->write_ns,
               figures->read_ns);
    }
}

static void print_cost(const struct bench *bench)
{
    const struct play_cost *costs = &bench->costs;
    const double told = costs->told, us = 1000;
    printf("kind=cost outgoing_us=%.3f step_us=%.3f world_us=%.3f event_bytes=%.3f"
           " rejected=%" PRIu64 "\n",
           (double)costs->outgoing_ns / us / told, (double)costs->step_ns / us / told,
           (double)costs->world_ns / us / told, (double)costs->event_bytes / told,
           play_rejected(bench->play));
}

static void print_needs(const char *what, const uint64_t *needs)
{
    for (int bits = 0; bits < CENSUS_NEEDS; bits++)
        if (needs[bits] > 0)
            printf("kind=need what=%s bits=%d count=%" PRIu64 "\n", what, bits, needs[bits]);
}

static void print_census(const struct census *census)
{
    for (int part = 0; part < CENSUS_PARTS; part++)
        printf("kind=part part=%s count=%" PRIu64 " bits=%" PRIu64 "\n", census_part_names[part],
               census->parts[part].count, census->parts[part].bits);
    for (int bits = 0; bits < CENSUS_AIM_BITS; bits++)
        if (census->aims[bits] > 0)
            printf("kind=aim bits=%d count=%" PRIu64 "\n", bits, census->aims[bits]);
    print_needs("aim", census->aim_needs);
    print_needs("changed_aim", census->changed_aim_needs);
    print_needs("place", census->position_needs);
}

// --- the whole ---

static bool warm_up(struct bench *bench)
{
    for (int tick = 0; tick < WARMUP_S * TICK_HZ; tick++)
        if (!play_tick(bench->play))
            return false;
    return true;
}

static bool play(struct bench *bench, uint32_t players, uint32_t ticks)
{
    const uint32_t one_in = 1 + ticks * players / (4 * SAMPLES);
    for (uint32_t tick = 0; tick < ticks; tick++)
        if (!play_tick(bench->play) || !measure_tick(bench, players, one_in))
            return false;
    if (bench->sample_count == 0)
        return false;
    measure_times(bench);
    print_variants(bench);
    print_cost(bench);
    print_census(&bench->census);
    return true;
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_wire MAP PLAYERS DELAY_TICKS LOSS SEED SECONDS\n");
    return 64;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    if (argc != 7)
        return usage();
    struct diagnostics report = {.out = stderr};
    struct play_def def = {
        .map = map_file_load(argv[1], NULL, raim_rules_default().player_radius, &report),
        .players = (uint32_t)strtoul(argv[2], NULL, 10),
        .delay_ticks = (uint32_t)strtoul(argv[3], NULL, 10),
        .loss = strtod(argv[4], NULL),
        .seed = strtoull(argv[5], NULL, 10),
    };
    const uint32_t ticks = (uint32_t)strtoul(argv[6], NULL, 10) * TICK_HZ;
    bench.random = def.seed;
    bench.play = def.map != NULL ? play_create(&def) : NULL;
    if (bench.play == NULL) {
        fprintf(stderr, "cannot begin to play\n");
        return 1;
    }
    void *memory = calloc(1, raim_wire_frame_bytes(play_limits(bench.play)));
    if (memory == NULL)
        return 1;
    raim_wire_frame_init(&bench.scratch, play_limits(bench.play), memory);
    const bool good = warm_up(&bench) && play(&bench, def.players, ticks);
    play_destroy(bench.play);
    raim_map_destroy((struct raim_map *)def.map);
    free(memory);
    return good ? 0 : 1;
}
