// SPDX-License-Identifier: MIT
// Prometheus' text format 0.0.4: families, labels, numbers, histograms. Any thread.
#pragma once

#include "histogram.h"
#include "metric.h"
#include "text_buffer.h"

#include <stdint.h>

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
