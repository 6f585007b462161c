// SPDX-License-Identifier: MIT
// A growing list of the lines of a reload report.
#define _GNU_SOURCE
#include "reload_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_room(struct reload_report *report)
{
    if (report->count < report->capacity)
        return true;
    const int capacity = report->capacity == 0 ? 16 : 2 * report->capacity;
    struct reload_report_line *longer =
        realloc(report->lines, (size_t)capacity * sizeof *report->lines);
    if (longer == NULL)
        return false;
    report->lines = longer;
    report->capacity = capacity;
    return true;
}

void reload_report_add(struct reload_report *report, enum reload_report_kind kind,
                       const char *format, ...)
{
    if (report->lines == &report->no_memory)
        return;
    struct reload_report_line line = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    const bool good = has_room(report) && vasprintf(&line.text, format, arguments) >= 0;
    va_end(arguments);
    if (good)
        report->lines[report->count++] = line;
    else
        reload_report_end_memory(report);
}

void reload_report_end_memory(struct reload_report *report)
{
    static char words[] = "out of memory";
    reload_report_clear(report);
    report->no_memory = (struct reload_report_line){.kind = RELOAD_REPORT_MISTAKE, .text = words};
    report->lines = &report->no_memory;
    report->count = 1;
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

bool reload_report_has(const struct reload_report *report, enum reload_report_kind kind)
{
    for (int i = 0; i < report->count; i++)
        if (report->lines[i].kind == kind)
            return true;
    return false;
}

void reload_report_clear(struct reload_report *report)
{
    if (report->lines != &report->no_memory) {
        for (int i = 0; i < report->count; i++)
            free(report->lines[i].text);
        free(report->lines);
    }
    *report = (struct reload_report){0};
}
