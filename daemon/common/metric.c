// SPDX-License-Identifier: MIT
// Reads the rows' members, and writes them.
#include "metric.h"

#include "histogram.h"
#include "json_writer.h"
#include "metric_text.h"

#include <assert.h>

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
        json_write_object(json, table->group);
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
