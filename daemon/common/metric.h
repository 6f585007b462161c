// SPDX-License-Identifier: MIT
// What a module counts: one row for each number. The status, the metrics, the last hour's history,
// their schemas and the lists of the manual are made of these rows, so that a new number is a
// member of the module's struct and a row beside it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_writer;
struct text_buffer;

enum metric_kind {
    METRIC_COUNTER, // grows from the start of the process, or of the arena, on
    METRIC_GAUGE,
    METRIC_FLAG,      // a gauge of 0 or 1; true or false in the status
    METRIC_TENTHS,    // a gauge in tenths; of the status alone
    METRIC_HISTOGRAM, // of durations; no part of the status
};

struct metric {
    const char *key;  // in the status; NULL: not there
    const char *name; // of the family for Prometheus, with its unit, "_total" of a counter; or NULL
    const char *meaning; // one sentence: Prometheus' help, the schema's description, the manual
    enum metric_kind kind;
    size_t offset, size;                 // of the member in the module's struct
    uint64_t (*get)(const void *object); // instead of a member
    const uint64_t *bounds_ns;           // of a histogram; NULL: histogram_bounds_ns
    const char *column;                  // of the last hour; NULL: none
    bool is_rate;                        // the column tells the growth a second, not of a sample
    const char *defect;                  // what is wrong unless it is 0, which degrades readiness
};

#define METRIC_OF(type, member)                                                                    \
    .offset = offsetof(type, member), .size = sizeof(((const type *)NULL)->member)

// The rows of a module. The functions take the object that the rows are about.
struct metric_table {
    const char *group;   // its object in the status; NULL: the rows stand beside each other
    const char *meaning; // of the group
    const struct metric *rows;
    int count;
    bool is_optional; // the group is null while the module is off, and its metrics are left out;
                      // else all is 0 then
    bool (*is_on)(const void *object); // whether the module is on; NULL: it is
    // Writes what is no number: members of the group. NULL: nothing.
    void (*write_members)(const void *object, struct json_writer *json, uint64_t now_ms);
    // Writes a group that is no object of rows; `object` may be NULL.
    void (*write_group)(const void *object, struct json_writer *json, uint64_t now_ms);
    // Writes families with labels of their own. NULL: none.
    void (*write_families)(const void *object, struct text_buffer *out, uint64_t now_ms);
};

#define METRIC_ROWS(array) .rows = (array), .count = (int)(sizeof(array) / sizeof *(array))

// A table with its object; NULL: the module is off.
struct metric_source {
    const struct metric_table *table;
    const void *object;
};

// The value of a row that is no histogram; 0 without an object.
uint64_t metric_value(const struct metric *row, const void *object);

// Writes the rows that have keys into the object that is open.
void metric_write_status(const struct metric_source *source, struct json_writer *json,
                         uint64_t now_ms);

// Writes a family of each row that has a name, and the table's other families.
void metric_write_families(const struct metric_source *source, struct text_buffer *out,
                           uint64_t now_ms);
