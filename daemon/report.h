// SPDX-License-Identifier: MIT
// Collects the mistakes of a configuration: one line each, counted, none of them the last word.
#pragma once

#include <stdio.h>

struct report {
    FILE *out; // borrowed
    int problems;
};

// Writes "place: message". The place is a file, "file:line" or "file:line: key".
__attribute__((format(printf, 3, 4))) void report_add(struct report *report, const char *place,
                                                      const char *format, ...);
