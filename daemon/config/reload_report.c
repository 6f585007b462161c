// SPDX-License-Identifier: MIT
// Collects lines.
#define _GNU_SOURCE
#include "reload_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_room(struct reload_report *outcome)
{
    if (outcome->count < outcome->capacity)
        return true;
    const int capacity = outcome->capacity == 0 ? 16 : 2 * outcome->capacity;
    struct reload_report_line *longer =
        realloc(outcome->lines, (size_t)capacity * sizeof *outcome->lines);
    if (longer == NULL)
        return false;
    outcome->lines = longer;
    outcome->capacity = capacity;
    return true;
}

void reload_report_add(struct reload_report *outcome, enum reload_report_kind kind,
                       const char *format, ...)
{
    if (outcome->lines == &outcome->no_memory)
        return;
    struct reload_report_line line = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    const bool good = has_room(outcome) && vasprintf(&line.text, format, arguments) >= 0;
    va_end(arguments);
    if (good)
        outcome->lines[outcome->count++] = line;
    else
        reload_report_end_memory(outcome);
}

void reload_report_end_memory(struct reload_report *outcome)
{
    static char words[] = "out of memory";
    reload_report_clear(outcome);
    outcome->no_memory = (struct reload_report_line){.kind = RELOAD_REPORT_MISTAKE, .text = words};
    outcome->lines = &outcome->no_memory;
    outcome->count = 1;
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
    if (outcome->lines != &outcome->no_memory) {
        for (int i = 0; i < outcome->count; i++)
            free(outcome->lines[i].text);
        free(outcome->lines);
    }
    *outcome = (struct reload_report){0};
}
