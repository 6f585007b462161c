// SPDX-License-Identifier: MIT
// What became of a reload, line by line, each "file:line: key: ...": for the log and the operator.
#pragma once

#include <stdbool.h>

enum reload_report_kind {
    RELOAD_REPORT_MISTAKE, // any of these: nothing was applied
    RELOAD_REPORT_WARNING,
    RELOAD_REPORT_APPLIED,
    RELOAD_REPORT_RESTART, // waits for a restart
    RELOAD_REPORT_KINDS
};

struct reload_report_line {
    enum reload_report_kind kind;
    char *text;
};

// All zero: nothing.
struct reload_report {
    int count, capacity;
    struct reload_report_line *lines;    // in the order of what they tell
    struct reload_report_line no_memory; // the only line once memory has run out
};

// When memory runs out, the only line is a mistake that says so, and nothing more is added.
__attribute__((format(printf, 3, 4))) void reload_report_add(struct reload_report *report,
                                                             enum reload_report_kind kind,
                                                             const char *format, ...);

// The same without another line: memory has run out elsewhere.
void reload_report_end_memory(struct reload_report *report);

// The name that its lines go by in an answer: "mistakes", "warnings", "applied", "restart".
const char *reload_report_kind_name(enum reload_report_kind kind);

bool reload_report_has(const struct reload_report *report, enum reload_report_kind kind);

// Frees the lines.
void reload_report_clear(struct reload_report *report);
