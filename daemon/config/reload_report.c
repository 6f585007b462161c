// SPDX-License-Identifier: MIT
// Collects lines.
#define _GNU_SOURCE
#include "reload_report.h"

#include "xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void reload_report_add(struct reload_report *outcome, enum reload_report_kind kind,
                       const char *format, ...)
{
    if (outcome->count == outcome->capacity) {
        outcome->capacity = outcome->capacity == 0 ? 16 : 2 * outcome->capacity;
        outcome->lines = memory_must(
            realloc(outcome->lines, (size_t)outcome->capacity * sizeof *outcome->lines));
    }
    struct reload_report_line line = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&line.text, format, arguments) < 0)
        abort(); // as memory_must would
    va_end(arguments);
    outcome->lines[outcome->count++] = line;
}

const char *reload_report_kind_name(enum reload_report_kind kind)
{
    static const char *const names[RELOAD_REPORT_KINDS] = {
        [RELOAD_REPORT_MISTAKE] = "mistakes",
        [RELOAD_REPORT_WARNING] = "warnings",
        [RELOAD_REPORT_APPLIED] = "applied",
        [RELOAD_REPORT_RESTART] = "restart",
    };
    return names[kind];
}

bool reload_report_has(const struct reload_report *outcome, enum reload_report_kind kind)
{
    for (int i = 0; i < outcome->count; i++)
        if (outcome->lines[i].kind == kind)
            return true;
    return false;
}

void reload_report_clear(struct reload_report *outcome)
{
    for (int i = 0; i < outcome->count; i++)
        free(outcome->lines[i].text);
    free(outcome->lines);
    *outcome = (struct reload_report){0};
}
