// SPDX-License-Identifier: MIT
// Reads the rows' members, and writes them.
#include "metric.h"

#include "json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

void metric_source_set(struct metric_source *sources, int count, const struct metric_table *table,
                       const void *object)
{
    int i = 0;
    while (i < count && sources[i].table != table)
        i++;
    assert(i < count);
    sources[i].object = object;
}

uint64_t metric_value(const struct metric *row, const void *object)
{
    if (object == NULL)
        return 0;
    if (row->get != NULL)
        return row->get(object);
    const void *member = (const char *)object + row->offset;
    assert(row->size == sizeof(bool) || row->size == sizeof(uint32_t) ||
           row->size == sizeof(uint64_t));
    return row->size == sizeof(bool)       ? *(const bool *)member
           : row->size == sizeof(uint32_t) ? *(const uint32_t *)member
                                           : *(const uint64_t *)member;
}

static void write_row(const struct metric *row, const void *object, struct json_writer *json)
{
    const uint64_t value = metric_value(row, object);
    assert(row->kind != METRIC_HISTOGRAM);
    if (row->kind == METRIC_FLAG)
        json_write_flag(json, row->key, value != 0);
    else if (row->kind == METRIC_TENTHS)
        json_write_tenths(json, row->key, (double)value / 10);
    else
        json_write_count(json, row->key, value);
}

// NULL while the module is off.
static const void *object_of(const struct metric_source *source)
{
    const struct metric_table *table = source->table;
    return source->object != NULL && table->is_on != NULL && !table->is_on(source->object)
               ? NULL
               : source->object;
}

void metric_write_status(const struct metric_source *source, struct json_writer *json,
                         uint64_t now_ms)
{
    const struct metric_table *table = source->table;
    const void *object = object_of(source);
    if (table->write_group != NULL) {
        table->write_group(object, json, now_ms);
        return;
    }
    if (table->group != NULL && table->is_optional && object == NULL) {
        json_write_null(json, table->group);
        return;
    }
    if (table->group != NULL)
        json_begin_object(json, table->group);
    if (table->write_members != NULL)
        table->write_members(object, json, now_ms);
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].key != NULL)
            write_row(&table->rows[i], object, json);
    if (table->group != NULL)
        json_write_end(json);
}

void metric_write_families(const struct metric_source *source, struct text_buffer *out,
                           uint64_t now_ms)
{
    const struct metric_table *table = source->table;
    const void *object = object_of(source);
    if (table->is_optional && object == NULL)
        return;
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].name != NULL) {
            metric_text_family(out, table->rows[i].name, table->rows[i].kind,
                               table->rows[i].meaning);
            metric_text_row(out, &table->rows[i], object, NULL);
        }
    if (table->write_families != NULL)
        table->write_families(object, out, now_ms);
}

const uint64_t histogram_bounds_ns[HISTOGRAM_BOUNDS] = {
    50000,   100000,  250000,   500000,   1000000,   2500000,
    4166667, 8333334, 16666667, 33333334, 100000000, 1000000000,
};

const uint64_t histogram_ping_bounds_ns[HISTOGRAM_BOUNDS] = {
    5000000,   10000000,  20000000,  30000000,  50000000,  75000000,
    100000000, 150000000, 200000000, 300000000, 500000000, 1000000000,
};

const uint64_t histogram_pause_bounds_ns[HISTOGRAM_BOUNDS] = {
    50000000,   100000000,  200000000,  300000000,   500000000,   750000000,
    1000000000, 2000000000, 5000000000, 10000000000, 20000000000, 60000000000,
};

void histogram_count(struct histogram *histogram, uint64_t duration_ns)
{
    histogram_count_by(histogram, histogram_bounds_ns, duration_ns);
}

void histogram_count_by(struct histogram *histogram, const uint64_t bounds_ns[HISTOGRAM_BOUNDS],
                        uint64_t duration_ns)
{
    int bucket = 0;
    while (bucket < HISTOGRAM_BOUNDS && duration_ns > bounds_ns[bucket])
        bucket++;
    histogram->buckets[bucket]++;
    histogram->sum_ns += duration_ns;
}

#define NS_PER_S UINT64_C(1000000000)

void metric_text_family(struct text_buffer *out, const char *name, enum metric_kind kind,
                        const char *help)
{
    text_buffer_print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                      kind == METRIC_COUNTER     ? "counter"
                      : kind == METRIC_HISTOGRAM ? "histogram"
                                                 : "gauge");
}

void metric_text_label(struct text_buffer *out, const char *name, const char *value)
{
    text_buffer_print(out, "%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '\n')
            text_buffer_add(out, "\\n", 2);
        else if (*value == '\\' || *value == '"')
            text_buffer_print(out, "\\%c", *value);
        else
            text_buffer_add(out, value, 1);
    }
    text_buffer_add(out, "\"", 1);
}

static void format_seconds(char text[32], uint64_t ns)
{
    uint64_t fraction = ns % NS_PER_S;
    int digits = 9;
    const int length = snprintf(text, 32, "%" PRIu64, ns / NS_PER_S);
    if (fraction == 0)
        return;
    for (; fraction % 10 == 0; fraction /= 10)
        digits--;
    snprintf(text + length, (size_t)(32 - length), ".%0*" PRIu64, digits, fraction);
}

void metric_text_seconds(struct text_buffer *out, uint64_t ns)
{
    char text[32];
    format_seconds(text, ns);
    text_buffer_print(out, "%s", text);
}

void metric_text_value(struct text_buffer *out, const char *name, enum metric_kind kind,
                       const char *help, uint64_t value)
{
    metric_text_family(out, name, kind, help);
    text_buffer_print(out, "%s %" PRIu64 "\n", name, value);
}

// Writes labels in braces: of an arena, of a stage and of a bucket's bound. NULL omits one.
static void write_labels(struct text_buffer *out, const char *arena, const char *stage,
                         const char *bound)
{
    const char *before = "{";
    const struct {
        const char *name, *value;
    } labels[] = {{"arena", arena}, {"stage", stage}, {"le", bound}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (labels[i].value == NULL)
            continue;
        text_buffer_add(out, before, 1);
        metric_text_label(out, labels[i].name, labels[i].value);
        before = ",";
    }
    text_buffer_print(out, before[0] == ',' ? "} " : " ");
}

void metric_text_row(struct text_buffer *out, const struct metric *row, const void *object,
                     const char *arena)
{
    static const struct histogram empty;
    if (row->kind == METRIC_HISTOGRAM) {
        const struct histogram *histogram =
            object != NULL ? (const void *)((const char *)object + row->offset) : &empty;
        metric_text_histogram(out, row->name, histogram,
                              row->bounds_ns != NULL ? row->bounds_ns : histogram_bounds_ns, arena,
                              NULL);
        return;
    }
    text_buffer_print(out, "%s", row->name);
    write_labels(out, arena, NULL, NULL);
    text_buffer_print(out, "%" PRIu64 "\n", metric_value(row, object));
}

void metric_text_histogram(struct text_buffer *out, const char *name,
                           const struct histogram *histogram,
                           const uint64_t bounds_ns[HISTOGRAM_BOUNDS], const char *arena,
                           const char *stage)
{
    uint64_t count = 0; // the format's buckets are cumulative
    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        char bound[32] = "+Inf";
        if (i < HISTOGRAM_BOUNDS)
            format_seconds(bound, bounds_ns[i]);
        count += histogram->buckets[i];
        text_buffer_print(out, "%s_bucket", name);
        write_labels(out, arena, stage, bound);
        text_buffer_print(out, "%" PRIu64 "\n", count);
    }
    text_buffer_print(out, "%s_sum", name);
    write_labels(out, arena, stage, NULL);
    metric_text_seconds(out, histogram->sum_ns);
    text_buffer_print(out, "\n%s_count", name);
    write_labels(out, arena, stage, NULL);
    text_buffer_print(out, "%" PRIu64 "\n", count);
}
