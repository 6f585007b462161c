// SPDX-License-Identifier: MIT
// What a module has counted, by the key or the name of the row.
#pragma once

#include "metric.h"
#include "test.h"

static inline uint64_t metric_of(const struct metric_table *table, const void *object,
                                 const char *name)
{
    for (int i = 0; i < table->count; i++) {
        const struct metric *row = &table->rows[i];
        if ((row->key != NULL && strcmp(row->key, name) == 0) ||
            (row->name != NULL && strcmp(row->name, name) == 0))
            return metric_value(row, object);
    }
    fail_msg("no row %s", name);
    return 0;
}
