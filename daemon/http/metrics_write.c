// SPDX-License-Identifier: MIT
// Writes the parts of Prometheus' text format 0.0.4.
#include "metrics_write.h"

#include <inttypes.h>
#include <stddef.h>

#define NS_PER_S UINT64_C(1000000000)

static const char *const kind_names[] = {
    [METRICS_COUNTER] = "counter", [METRICS_GAUGE] = "gauge", [METRICS_HISTOGRAM] = "histogram"};

void metrics_family(FILE *out, const char *name, enum metrics_kind kind, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind_names[kind]);
}

void metrics_label(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '\n')
            fputs("\\n", out);
        else if (*value == '\\' || *value == '"')
            fprintf(out, "\\%c", *value);
        else
            fputc(*value, out);
    }
    fputc('"', out);
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

void metrics_seconds(FILE *out, uint64_t ns)
{
    char text[32];
    format_seconds(text, ns);
    fputs(text, out);
}

void metrics_count(FILE *out, const char *name, enum metrics_kind kind, const char *help,
                   uint64_t value)
{
    metrics_family(out, name, kind, help);
    fprintf(out, "%s %" PRIu64 "\n", name, value);
}

// Writes labels in braces: of an arena, of a stage and of a bucket's bound. NULL omits one.
static void write_labels(FILE *out, const char *arena, const char *stage, const char *bound)
{
    const char *before = "{";
    const struct {
        const char *name, *value;
    } labels[] = {{"arena", arena}, {"stage", stage}, {"le", bound}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (labels[i].value == NULL)
            continue;
        fputs(before, out);
        metrics_label(out, labels[i].name, labels[i].value);
        before = ",";
    }
    fputs(before[0] == ',' ? "} " : " ", out);
}

void metrics_histogram(FILE *out, const char *name, const struct histogram *histogram,
                       const uint64_t bounds_ns[HISTOGRAM_BOUNDS], const char *arena,
                       const char *stage)
{
    uint64_t count = 0; // the format's buckets are cumulative
    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        char bound[32] = "+Inf";
        if (i < HISTOGRAM_BOUNDS)
            format_seconds(bound, bounds_ns[i]);
        count += histogram->buckets[i];
        fprintf(out, "%s_bucket", name);
        write_labels(out, arena, stage, bound);
        fprintf(out, "%" PRIu64 "\n", count);
    }
    fprintf(out, "%s_sum", name);
    write_labels(out, arena, stage, NULL);
    metrics_seconds(out, histogram->sum_ns);
    fprintf(out, "\n%s_count", name);
    write_labels(out, arena, stage, NULL);
    fprintf(out, "%" PRIu64 "\n", count);
}
