// SPDX-License-Identifier: MIT
// Prints an audit: as tables for people, or as JSON (audit.schema.json). Thread rule: none; the
// caller's.
#pragma once

#include "audit_measures.h"

#include <stdio.h>

// The version of the JSON. It changes when a key is removed or changes its meaning, not for new
// keys.
#define AUDIT_SCHEMA 1

// What was audited. Borrowed; the texts are printable UTF-8.
struct audit_report {
    const char *file;
    const char *version, *arena, *map;
    uint32_t round;
    int64_t start_unix_ms;
    uint32_t tick_hz;
    uint64_t ticks;    // that were audited
    const char *fault; // why the audit ended before the recording; NULL: it did not
    const struct audit_player *const *players;
    uint32_t count, left_out;
};

void audit_report_print(const struct audit_report *report, FILE *out);

// Returns false when memory runs out.
bool audit_report_print_json(const struct audit_report *report, FILE *out);
