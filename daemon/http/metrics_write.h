// SPDX-License-Identifier: MIT
// Writers of Prometheus' text format: families, labels, numbers, histograms. Names are whole, with
// their prefix. Any thread.
#pragma once

#include "histogram.h"

#include <stdint.h>
#include <stdio.h>

enum metrics_kind { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM };

// Begins a family.
void metrics_family(FILE *out, const char *name, enum metrics_kind kind, const char *help);

// Writes name="value" with the escapes that the format requires.
void metrics_label(FILE *out, const char *name, const char *value);

// Writes nanoseconds as seconds, exactly, without trailing zeros.
void metrics_seconds(FILE *out, uint64_t ns);

// A family with one value and without labels.
void metrics_count(FILE *out, const char *name, enum metrics_kind kind, const char *help,
                   uint64_t value);

// Writes a histogram with labels of an arena and of a stage; NULL omits one.
void metrics_histogram(FILE *out, const char *name, const struct histogram *histogram,
                       const uint64_t bounds_ns[HISTOGRAM_BOUNDS], const char *arena,
                       const char *stage);
