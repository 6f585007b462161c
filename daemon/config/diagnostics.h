// SPDX-License-Identifier: MIT
// Collects the mistakes of a configuration, one line each: counted, none of them the last word. A
// warning is told among them and not counted.
#pragma once

#include <stdio.h>

enum report_style {
    REPORT_TEXT,    // "place: message"
    REPORT_JOURNAL, // the same behind the journal's <N> priority
    REPORT_JSON,    // an array of {"file", "line", "key", "message"}; line and key may be null
};

struct path_list;

struct report {
    FILE *out; // borrowed
    int problems;
    enum report_style style;
    int entries;                   // mistakes and warnings
    struct path_list *directories; // gets those of all files that are read; NULL: not wanted
};

// Writes "place: message". The place is a file, "file:line" or "file:line: key".
__attribute__((format(printf, 3, 4))) void report_add(struct report *report, const char *place,
                                                      const char *format, ...);

// Writes "place: warning: message".
__attribute__((format(printf, 3, 4))) void report_warn(struct report *report, const char *place,
                                                       const char *format, ...);

// Ends the array of REPORT_JSON, which is empty when nothing was added. Does nothing in other
// styles.
void report_end(struct report *report);
