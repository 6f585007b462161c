// SPDX-License-Identifier: MIT
// Takes samples of the arenas' status blocks, and writes them column by column.
#include "last_hour.h"

#include "arena_metrics.h"
#include "json_writer.h"
#include "loop.h"
#include "monotonic.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Columns besides those of the rows: percentiles of what a histogram of an arena has counted
// between two samples.
static const struct percentile {
    const char *column;
    size_t offset; // of the histogram in struct arena_status
    const uint64_t *bounds_ns;
    uint32_t percent;
    uint32_t unit_ns;
} percentiles[] = {
    {"ping_p50_ms", offsetof(struct arena_status, pings), histogram_ping_bounds_ns, 50, 1000000},
    {"ping_p90_ms", offsetof(struct arena_status, pings), histogram_ping_bounds_ns, 90, 1000000},
    {"tick_p50_us", offsetof(struct arena_status, durations), histogram_bounds_ns, 50, 1000},
    {"tick_p99_us", offsetof(struct arena_status, durations), histogram_bounds_ns, 99, 1000},
    {"late_p99_us", offsetof(struct arena_status, latenesses), histogram_bounds_ns, 99, 1000},
};

enum { PERCENTILES = sizeof percentiles / sizeof *percentiles, LATE_P99 = PERCENTILES - 1 };

// A row of an arena with a column.
struct column {
    const struct metric *row;
    int table; // among arena_metric_tables
};

// What happened between two samples, and how it was at the second: the percentiles, then the
// columns. Of the server: sums over the arenas, of percentiles the largest.
struct sample {
    uint32_t values[PERCENTILES + LAST_HOUR_COLUMNS];
};

// An arena at its newest sample.
struct counters {
    uint64_t values[LAST_HOUR_COLUMNS];
    struct histogram histograms[PERCENTILES];
};

struct ring {
    uint32_t count; // ever added
    struct sample samples[LAST_HOUR_SAMPLES];
};

struct series {
    const struct arena *arena; // only compared
    char name[CONFIG_NAME_BYTES];
    struct counters last;
    struct ring ring;
};

struct last_hour {
    const struct arena_list *list;
    struct loop_source *interval;
    uint64_t sampled_ms, due_ms;
    int column_count;
    struct column columns[LAST_HOUR_COLUMNS];
    struct ring server;
    int series_count;
    struct series *series[CONFIG_MAX_ARENAS];
    uint64_t worker_busy_ns[CONFIG_MAX_WORKERS];                     // at the newest sample
    uint16_t worker_permille[LAST_HOUR_SAMPLES][CONFIG_MAX_WORKERS]; // as the ring of the server
};

// The rows with columns.
static void find_columns(struct last_hour *hour)
{
    for (int table = 0; table < ARENA_METRIC_TABLES; table++)
        for (int i = 0; i < arena_metric_tables[table]->count; i++) {
            const struct metric *row = &arena_metric_tables[table]->rows[i];
            if (row->column == NULL)
                continue;
            assert(hour->column_count < LAST_HOUR_COLUMNS);
            hour->columns[hour->column_count++] = (struct column){row, table};
        }
}

struct last_hour *last_hour_create(const struct arena_list *list, uint64_t now_ms)
{
    struct last_hour *hour = calloc(1, sizeof *hour);
    if (hour == NULL)
        return NULL;
    hour->list = list;
    hour->sampled_ms = now_ms;
    hour->due_ms = now_ms + LAST_HOUR_FIRST_MS;
    find_columns(hour);
    return hour;
}

void last_hour_destroy(struct last_hour *hour)
{
    if (hour == NULL)
        return;
    loop_remove(hour->interval);
    for (int i = 0; i < hour->series_count; i++)
        free(hour->series[i]);
    free(hour);
}

static void take_sample(void *context)
{
    last_hour_run(context, monotonic_ms());
}

bool last_hour_start(struct last_hour *hour, struct loop *loop)
{
    if (hour != NULL)
        hour->interval = loop_add_interval(loop, 1000, take_sample, hour);
    return hour == NULL || hour->interval != NULL;
}

// --- Samples ---

static void add(struct ring *ring, const struct sample *sample)
{
    ring->samples[ring->count++ % LAST_HOUR_SAMPLES] = *sample;
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
static uint64_t percentile_ns(const struct histogram *now, const struct histogram *before,
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
            return from_ns + (bounds_ns[i] - from_ns) * (rank - below) / here;
        below += here;
    }
    return total > 0 ? bounds_ns[HISTOGRAM_BOUNDS - 1] : 0;
}

static uint32_t percentile_of(const struct percentile *percentile,
                              const struct arena_status *status, struct histogram *before)
{
    const struct histogram *now = (const void *)((const char *)status + percentile->offset);
    const uint64_t ns = percentile_ns(now, before, percentile->bounds_ns, percentile->percent);
    *before = *now;
    return (uint32_t)(ns / percentile->unit_ns);
}

static uint32_t column_of(const struct metric *row, const void *object, uint64_t *before,
                          uint64_t elapsed_ms)
{
    const uint64_t now = metric_value(row, object), last = *before;
    *before = now;
    return row->kind != METRIC_COUNTER ? (uint32_t)now
           : row->is_rate              ? rate(now, last, elapsed_ms)
                                       : growth(now, last);
}

static struct sample sample_arena(const struct last_hour *hour, struct arena *arena,
                                  struct counters *last, uint64_t elapsed_ms)
{
    const struct arena_view view = arena_view(arena);
    const void *objects[ARENA_METRIC_TABLES];
    struct sample sample = {0};
    arena_metric_objects(&view, objects);
    for (int i = 0; i < PERCENTILES; i++)
        sample.values[i] = percentile_of(&percentiles[i], view.status, &last->histograms[i]);
    for (int i = 0; i < hour->column_count; i++) {
        const struct column *column = &hour->columns[i];
        sample.values[PERCENTILES + i] =
            column_of(column->row, objects[column->table], &last->values[i], elapsed_ms);
    }
    return sample;
}

static void add_to_server(struct sample *server, const struct sample *arena)
{
    for (int i = 0; i < PERCENTILES + LAST_HOUR_COLUMNS; i++) {
        uint32_t *sum = &server->values[i];
        const uint32_t value = arena->values[i];
        if (i >= PERCENTILES)
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
    struct sample server = {0};
    if (now_ms < hour->due_ms)
        return;
    const uint64_t elapsed_ms = now_ms - hour->sampled_ms;
    drop_series(hour);
    for (int i = 0; i < hour->list->count; i++) {
        struct series *series = get_series(hour, hour->list->arenas[i]);
        if (series == NULL)
            continue;
        const struct sample sample =
            sample_arena(hour, hour->list->arenas[i], &series->last, elapsed_ms);
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

static void write_column(struct json_writer *json, const char *name, const struct ring *ring,
                         int value)
{
    json_begin_array(json, name);
    for (uint32_t i = 0; i < kept(ring); i++)
        json_write_count(json, NULL, ring->samples[index_of(ring, i)].values[value]);
    json_write_end(json);
}

// Begins the document; the caller ends it.
static void write_ring(struct json_writer *json, const struct last_hour *hour,
                       const struct ring *ring, uint64_t now_ms)
{
    json_begin_object(json, NULL);
    json_write_count(json, "every_s", LAST_HOUR_EVERY_MS / 1000);
    json_write_count(json, "age_s", (now_ms - hour->sampled_ms) / 1000);
    json_write_count(json, "count", kept(ring));
    for (int i = 0; i < PERCENTILES; i++)
        write_column(json, percentiles[i].column, ring, i);
    for (int i = 0; i < hour->column_count; i++)
        write_column(json, hour->columns[i].row->column, ring, PERCENTILES + i);
}

char *last_hour_json(const struct last_hour *hour, uint64_t now_ms)
{
    struct json_writer json = {0};
    if (hour == NULL)
        return NULL;
    write_ring(&json, hour, &hour->server, now_ms);
    json_begin_array(&json, "workers_permille");
    for (int worker = 0; worker < hour->list->worker_count; worker++) {
        json_begin_array(&json, NULL);
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

uint32_t last_hour_late_p99_us(const struct last_hour *hour, const char *name)
{
    const struct series *series = hour != NULL ? find_series(hour, name) : NULL;
    return series == NULL || series->ring.count == 0
               ? 0
               : series->ring.samples[(series->ring.count - 1) % LAST_HOUR_SAMPLES]
                     .values[LATE_P99];
}
