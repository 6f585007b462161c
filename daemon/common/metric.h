// SPDX-License-Identifier: MIT
// What a module counts: one row for each number. The status, the metrics, the last hour's history,
// their schemas and the lists of the manual are made of these rows, so that a new number is a
// member of the module's struct and a row beside it.
#pragma once

#include "text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_writer;

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
    // Writes the members of the group that are not numbers. NULL: there are none.
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

// Registers a module at the source that has its table.
void metric_source_set(struct metric_source *sources, int count, const struct metric_table *table,
                       const void *object);

// The value of a row that is no histogram; 0 without an object.
uint64_t metric_value(const struct metric *row, const void *object);

// Writes the rows that have keys into the object that is open.
void metric_write_status(const struct metric_source *source, struct json_writer *json,
                         uint64_t now_ms);

// Writes a family of each row that has a name, and the table's other families.
void metric_write_families(const struct metric_source *source, struct text_buffer *out,
                           uint64_t now_ms);

// Histograms of durations with fixed buckets, as Prometheus has them: counting costs a short search
// and allocates nothing, and threads exchange histograms as plain values.

#define HISTOGRAM_BOUNDS 12

// The upper bound of each bucket in nanoseconds, inclusive, ascending. They include 1/60 s, a tick
// at 60 Hz, and a quarter of it, by which a tick may begin late. Both are rounded up, so that a
// period in whole nanoseconds never exceeds them.
extern const uint64_t histogram_bounds_ns[HISTOGRAM_BOUNDS];

// Bounds of a histogram of round trips, from a local network to the worst that can be played with.
extern const uint64_t histogram_ping_bounds_ns[HISTOGRAM_BOUNDS];

// Bounds of a histogram of the times that players miss.
extern const uint64_t histogram_pause_bounds_ns[HISTOGRAM_BOUNDS];

struct histogram {
    uint64_t buckets[HISTOGRAM_BOUNDS + 1]; // counts by bound, then those beyond the last bound
    uint64_t sum_ns;
};

// Counts a duration in nanoseconds by histogram_bounds_ns, or by other bounds. A histogram has the
// same bounds in every call.
void histogram_count(struct histogram *histogram, uint64_t duration_ns);
void histogram_count_by(struct histogram *histogram, const uint64_t bounds_ns[HISTOGRAM_BOUNDS],
                        uint64_t duration_ns);

// Prometheus' text format 0.0.4: families, labels, numbers, histograms. Any thread.

// Begins a family.
void metric_text_family(struct text_buffer *out, const char *name, enum metric_kind kind,
                        const char *help);

// Writes name="value" with the escapes that the format requires.
void metric_text_label(struct text_buffer *out, const char *name, const char *value);

// Writes nanoseconds as seconds, exactly, without trailing zeros.
void metric_text_seconds(struct text_buffer *out, uint64_t ns);

// A family with one value and without labels.
void metric_text_value(struct text_buffer *out, const char *name, enum metric_kind kind,
                       const char *help, uint64_t value);

// The samples of a row, with the label of an arena; NULL omits it, and for `object` is 0.
void metric_text_row(struct text_buffer *out, const struct metric *row, const void *object,
                     const char *arena);

// Writes a histogram with labels of an arena and of a stage; NULL omits one.
void metric_text_histogram(struct text_buffer *out, const char *name,
                           const struct histogram *histogram,
                           const uint64_t bounds_ns[HISTOGRAM_BOUNDS], const char *arena,
                           const char *stage);
