// SPDX-License-Identifier: MIT
// Collects the mistakes of a configuration, one line each: counted, none of them the last word. A
// warning is told among them and not counted.
#pragma once

#include <stdio.h>

struct report {
    FILE *out; // borrowed
    int problems;
};

// Writes "place: message". The place is a file, "file:line" or "file:line: key".
__attribute__((format(printf, 3, 4))) void report_add(struct report *report, const char *place,
                                                      const char *format, ...);

// Writes "place: warning: message".
__attribute__((format(printf, 3, 4))) void report_warn(struct report *report, const char *place,
                                                       const char *format, ...);
