// SPDX-License-Identifier: MIT
// Takes samples of the arenas' status blocks, and writes them column by column.
#include "last_hour.h"

#include "json_writer.h"
#include "rejections.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_US = 1000, US_PER_MS = 1000 };

// The counters of an arena at its newest sample.
struct counters {
    uint64_t late_ticks, skipped_ticks, joins, leaves, rejections, bytes_in, bytes_out;
    struct histogram durations, latenesses, pings;
};

struct ring {
    uint32_t count; // ever added
    struct last_hour_sample samples[LAST_HOUR_SAMPLES];
};

struct series {
    const struct arena *arena; // only compared
    char name[CONFIG_NAME_BYTES];
    struct counters last;
    struct ring ring;
};

struct last_hour {
    const struct arena_list *list;
    uint64_t sampled_ms, due_ms;
    struct ring server;
    int series_count;
    struct series *series[CONFIG_MAX_ARENAS];
    uint64_t worker_busy_ns[CONFIG_MAX_WORKERS];                     // at the newest sample
    uint16_t worker_permille[LAST_HOUR_SAMPLES][CONFIG_MAX_WORKERS]; // as the ring of the server
};

#define COLUMN(member)                                                                             \
    {                                                                                              \
#member, offsetof(struct last_hour_sample, member)                                         \
    }

static const struct column {
    const char *name;
    size_t offset;
} columns[] = {
    COLUMN(players),     COLUMN(bots),          COLUMN(spectators),  COLUMN(ping_p50_ms),
    COLUMN(ping_p90_ms), COLUMN(tick_p50_us),   COLUMN(tick_p99_us), COLUMN(late_p99_us),
    COLUMN(late_ticks),  COLUMN(skipped_ticks), COLUMN(joins),       COLUMN(leaves),
    COLUMN(rejections),  COLUMN(bytes_in_s),    COLUMN(bytes_out_s), COLUMN(overloaded),
};

#define COLUMNS (sizeof columns / sizeof *columns)
static_assert(COLUMNS * sizeof(uint32_t) == sizeof(struct last_hour_sample),
              "each member is a column");

struct last_hour *last_hour_create(const struct arena_list *list, uint64_t now_ms)
{
    struct last_hour *hour = calloc(1, sizeof *hour);
    if (hour == NULL)
        return NULL;
    hour->list = list;
    hour->sampled_ms = now_ms;
    hour->due_ms = now_ms + LAST_HOUR_FIRST_MS;
    return hour;
}

void last_hour_destroy(struct last_hour *hour)
{
    if (hour == NULL)
        return;
    for (int i = 0; i < hour->series_count; i++)
        free(hour->series[i]);
    free(hour);
}

// --- Samples ---

static void add(struct ring *ring, const struct last_hour_sample *sample)
{
    ring->samples[ring->count++ % LAST_HOUR_SAMPLES] = *sample;
}

static struct counters count(const struct arena_status *status)
{
    struct rejections reasons[REJECTIONS_MAX_REASONS];
    const int length = rejections_list(status, reasons);
    struct counters counters = {.late_ticks = status->late_ticks,
                                .skipped_ticks = status->skipped_ticks,
                                .joins = status->counts.joins,
                                .bytes_in = status->transport.bytes_in,
                                .bytes_out = status->transport.bytes_out,
                                .durations = status->durations,
                                .latenesses = status->latenesses,
                                .pings = status->pings};
    for (int i = 0; i < RAIM_REASONS; i++)
        counters.leaves += status->counts.leaves[i];
    for (int i = 0; i < length; i++)
        counters.rejections += reasons[i].count;
    return counters;
}

// The growth of a counter; an arena of an equal name that began anew has counted from 0.
static uint32_t growth(uint64_t now, uint64_t before)
{
    const uint64_t grown = now >= before ? now - before : now;
    return grown < UINT32_MAX ? (uint32_t)grown : UINT32_MAX;
}

static uint32_t rate(uint64_t now, uint64_t before, uint64_t elapsed_ms)
{
    const uint64_t per_s = (uint64_t)growth(now, before) * 1000 / elapsed_ms;
    return per_s < UINT32_MAX ? (uint32_t)per_s : UINT32_MAX;
}

// A percentile of what a histogram has counted since `before`, interpolated in its bucket: 0 if
// that is nothing. It costs less than sorting the newest durations of every arena at once.
static uint32_t percentile_us(const struct histogram *now, const struct histogram *before,
                              const uint64_t bounds_ns[HISTOGRAM_BOUNDS], uint32_t percent)
{
    uint64_t total = 0, below = 0;
    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++)
        total += growth(now->buckets[i], before->buckets[i]);
    const uint64_t rank = (total * percent + 99) / 100;
    for (int i = 0; i < HISTOGRAM_BOUNDS && total > 0; i++) {
        const uint64_t here = growth(now->buckets[i], before->buckets[i]);
        const uint64_t from_ns = i > 0 ? bounds_ns[i - 1] : 0;
        if (below + here >= rank)
            return (uint32_t)((from_ns + (bounds_ns[i] - from_ns) * (rank - below) / here) /
                              NS_PER_US);
        below += here;
    }
    return total > 0 ? (uint32_t)(bounds_ns[HISTOGRAM_BOUNDS - 1] / NS_PER_US) : 0;
}

static struct last_hour_sample sample_arena(struct arena *arena, struct counters *last,
                                            uint64_t elapsed_ms)
{
    const struct arena_status *status = arena_status(arena);
    const struct counters now = count(status);
    const struct last_hour_sample sample = {
        .players = status->counts.players,
        .bots = status->counts.bots,
        .spectators = status->counts.spectators,
        .ping_p50_ms =
            percentile_us(&now.pings, &last->pings, histogram_ping_bounds_ns, 50) / US_PER_MS,
        .ping_p90_ms =
            percentile_us(&now.pings, &last->pings, histogram_ping_bounds_ns, 90) / US_PER_MS,
        .tick_p50_us = percentile_us(&now.durations, &last->durations, histogram_bounds_ns, 50),
        .tick_p99_us = percentile_us(&now.durations, &last->durations, histogram_bounds_ns, 99),
        .late_p99_us = percentile_us(&now.latenesses, &last->latenesses, histogram_bounds_ns, 99),
        .late_ticks = growth(now.late_ticks, last->late_ticks),
        .skipped_ticks = growth(now.skipped_ticks, last->skipped_ticks),
        .joins = growth(now.joins, last->joins),
        .leaves = growth(now.leaves, last->leaves),
        .rejections = growth(now.rejections, last->rejections),
        .bytes_in_s = rate(now.bytes_in, last->bytes_in, elapsed_ms),
        .bytes_out_s = rate(now.bytes_out, last->bytes_out, elapsed_ms),
        .overloaded = arena_overload(arena)->is_on,
    };
    *last = now;
    return sample;
}

static bool is_largest_counted(size_t offset)
{
    return offset >= offsetof(struct last_hour_sample, ping_p50_ms) &&
           offset <= offsetof(struct last_hour_sample, late_p99_us);
}

static uint32_t *value_of(struct last_hour_sample *sample, size_t offset)
{
    return (uint32_t *)(void *)((char *)sample + offset);
}

static void add_to_server(struct last_hour_sample *server, struct last_hour_sample *arena)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        uint32_t *sum = value_of(server, columns[i].offset);
        const uint32_t value = *value_of(arena, columns[i].offset);
        if (!is_largest_counted(columns[i].offset))
            *sum = *sum > UINT32_MAX - value ? UINT32_MAX : *sum + value;
        else if (value > *sum)
            *sum = value;
    }
}

static struct series *find_series(const struct last_hour *hour, const char *name)
{
    for (int i = 0; i < hour->series_count; i++)
        if (strcmp(hour->series[i]->name, name) == 0)
            return hour->series[i];
    return NULL;
}

// The series of an arena, a new one if there is none. Returns NULL when memory runs out.
static struct series *get_series(struct last_hour *hour, const struct arena *arena)
{
    const char *name = arena_config(arena)->name;
    struct series *series = find_series(hour, name);
    if (series != NULL || hour->series_count == CONFIG_MAX_ARENAS)
        return series;
    series = calloc(1, sizeof *series);
    if (series == NULL)
        return NULL;
    series->arena = arena;
    strcpy(series->name, name);
    hour->series[hour->series_count++] = series;
    return series;
}

// Frees the series of arenas that have ended.
static void drop_series(struct last_hour *hour)
{
    for (int i = hour->series_count - 1; i >= 0; i--) {
        struct series *series = hour->series[i];
        const int index = arena_list_index(hour->list, series->arena);
        if (index >= 0 && strcmp(arena_config(hour->list->arenas[index])->name, series->name) == 0)
            continue;
        free(series);
        hour->series[i] = hour->series[--hour->series_count];
    }
}

static void sample_workers(struct last_hour *hour, uint64_t elapsed_ms)
{
    uint16_t *row = hour->worker_permille[hour->server.count % LAST_HOUR_SAMPLES];
    for (int i = 0; i < hour->list->worker_count; i++) {
        const uint64_t busy_ns = worker_busy_ns(hour->list->workers[i]);
        const uint64_t permille = (busy_ns - hour->worker_busy_ns[i]) / (elapsed_ms * 1000);
        row[i] = permille < 1000 ? (uint16_t)permille : 1000;
        hour->worker_busy_ns[i] = busy_ns;
    }
}

void last_hour_run(struct last_hour *hour, uint64_t now_ms)
{
    struct last_hour_sample server = {0};
    if (hour == NULL || now_ms < hour->due_ms)
        return;
    const uint64_t elapsed_ms = now_ms - hour->sampled_ms;
    drop_series(hour);
    for (int i = 0; i < hour->list->count; i++) {
        struct series *series = get_series(hour, hour->list->arenas[i]);
        if (series == NULL)
            continue;
        struct last_hour_sample sample =
            sample_arena(hour->list->arenas[i], &series->last, elapsed_ms);
        add(&series->ring, &sample);
        add_to_server(&server, &sample);
    }
    sample_workers(hour, elapsed_ms);
    add(&hour->server, &server);
    hour->sampled_ms = now_ms;
    while (hour->due_ms <= now_ms)
        hour->due_ms += LAST_HOUR_EVERY_MS;
}

// --- Documents ---

static uint32_t kept(const struct ring *ring)
{
    return ring->count < LAST_HOUR_SAMPLES ? ring->count : LAST_HOUR_SAMPLES;
}

// The index of a sample, counted from the oldest.
static uint32_t index_of(const struct ring *ring, uint32_t number)
{
    return (ring->count - kept(ring) + number) % LAST_HOUR_SAMPLES;
}

// Begins the document; the caller ends it.
static void write_ring(struct json_writer *json, const struct last_hour *hour,
                       const struct ring *ring, uint64_t now_ms)
{
    json_write_object(json, NULL);
    json_write_count(json, "every_s", LAST_HOUR_EVERY_MS / 1000);
    json_write_count(json, "age_s", (now_ms - hour->sampled_ms) / 1000);
    json_write_count(json, "count", kept(ring));
    for (size_t column = 0; column < COLUMNS; column++) {
        json_write_array(json, columns[column].name);
        for (uint32_t i = 0; i < kept(ring); i++) {
            const struct last_hour_sample *sample = &ring->samples[index_of(ring, i)];
            json_write_count(
                json, NULL,
                *(const uint32_t *)(const void *)((const char *)sample + columns[column].offset));
        }
        json_write_end(json);
    }
}

char *last_hour_json(const struct last_hour *hour, uint64_t now_ms)
{
    struct json_writer json = {0};
    if (hour == NULL)
        return NULL;
    write_ring(&json, hour, &hour->server, now_ms);
    json_write_array(&json, "workers_permille");
    for (int worker = 0; worker < hour->list->worker_count; worker++) {
        json_write_array(&json, NULL);
        for (uint32_t i = 0; i < kept(&hour->server); i++)
            json_write_count(&json, NULL,
                             hour->worker_permille[index_of(&hour->server, i)][worker]);
        json_write_end(&json);
    }
    json_write_end(&json);
    json_write_end(&json);
    return json_write_take(&json);
}

char *last_hour_arena_json(const struct last_hour *hour, const char *name, uint64_t now_ms,
                           bool *missing)
{
    static const struct ring none;
    struct json_writer json = {0};
    const struct series *series = hour != NULL ? find_series(hour, name) : NULL;
    *missing = hour == NULL || (series == NULL && arena_list_find(hour->list, name) < 0);
    if (*missing)
        return NULL;
    write_ring(&json, hour, series != NULL ? &series->ring : &none, now_ms);
    json_write_end(&json);
    return json_write_take(&json);
}

const struct last_hour_sample *last_hour_newest(const struct last_hour *hour, const char *name)
{
    const struct series *series = hour != NULL ? find_series(hour, name) : NULL;
    return series == NULL || series->ring.count == 0
               ? NULL
               : &series->ring.samples[(series->ring.count - 1) % LAST_HOUR_SAMPLES];
}
