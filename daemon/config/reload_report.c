// SPDX-License-Identifier: MIT
// Collects lines.
#define _GNU_SOURCE
#include "reload_report.h"

#include "xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void outcome_add(struct outcome *outcome, enum outcome_kind kind, const char *format, ...)
{
    if (outcome->count == outcome->capacity) {
        outcome->capacity = outcome->capacity == 0 ? 16 : 2 * outcome->capacity;
        outcome->lines = memory_must(
            realloc(outcome->lines, (size_t)outcome->capacity * sizeof *outcome->lines));
    }
    struct outcome_line line = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&line.text, format, arguments) < 0)
        abort(); // as memory_must would
    va_end(arguments);
    outcome->lines[outcome->count++] = line;
}

const char *outcome_kind_name(enum outcome_kind kind)
{
    static const char *const names[OUTCOME_KINDS] = {
        [OUTCOME_MISTAKE] = "mistakes",
        [OUTCOME_WARNING] = "warnings",
        [OUTCOME_APPLIED] = "applied",
        [OUTCOME_RESTART] = "restart",
    };
    return names[kind];
}

bool outcome_has(const struct outcome *outcome, enum outcome_kind kind)
{
    for (int i = 0; i < outcome->count; i++)
        if (outcome->lines[i].kind == kind)
            return true;
    return false;
}

void outcome_clear(struct outcome *outcome)
{
    for (int i = 0; i < outcome->count; i++)
        free(outcome->lines[i].text);
    free(outcome->lines);
    *outcome = (struct outcome){0};
}
