// SPDX-License-Identifier: MIT
// Report of a configuration reload: one line per mistake, warning and change, each
// "file:line: key: ...", for the log and for raimctl.
#pragma once

#include <stdbool.h>

enum reload_report_kind {
    RELOAD_REPORT_MISTAKE, // with at least one mistake nothing was applied
    RELOAD_REPORT_WARNING,
    RELOAD_REPORT_APPLIED,
    RELOAD_REPORT_RESTART, // applies after a restart
    RELOAD_REPORT_KINDS
};

struct reload_report_line {
    enum reload_report_kind kind;
    char *text;
};

// Zero-initialize for an empty report.
struct reload_report {
    int count, capacity;
    struct reload_report_line *lines;    // in the order of the events
    struct reload_report_line no_memory; // the only line after memory has run out
};

// Adds a line. When memory runs out, one mistake that says so replaces all lines, and later calls
// have no effect.
__attribute__((format(printf, 3, 4))) void reload_report_add(struct reload_report *report,
                                                             enum reload_report_kind kind,
                                                             const char *format, ...);

// Replaces all lines by the mistake "out of memory", after an allocation elsewhere has failed.
void reload_report_end_memory(struct reload_report *report);

// The JSON key of the lines of a kind: "mistakes", "warnings", "applied" or "restart".
const char *reload_report_kind_name(enum reload_report_kind kind);

bool reload_report_has(const struct reload_report *report, enum reload_report_kind kind);

// Frees the lines and empties the report.
void reload_report_clear(struct reload_report *report);
