// SPDX-License-Identifier: MIT
// What became of a reload, line by line, each "file:line: key: ...": for the log and the operator.
#pragma once

#include <stdbool.h>

enum outcome_kind {
    OUTCOME_MISTAKE, // any of these: nothing was applied
    OUTCOME_WARNING,
    OUTCOME_APPLIED,
    OUTCOME_RESTART, // waits for a restart
    OUTCOME_KINDS
};

struct outcome_line {
    enum outcome_kind kind;
    char *text;
};

// All zero: nothing.
struct outcome {
    int count, capacity;
    struct outcome_line *lines; // in the order of what they tell
};

__attribute__((format(printf, 3, 4))) void
outcome_add(struct outcome *outcome, enum outcome_kind kind, const char *format, ...);

// The name that its lines go by in an answer: "mistakes", "warnings", "applied", "restart".
const char *outcome_kind_name(enum outcome_kind kind);

bool outcome_has(const struct outcome *outcome, enum outcome_kind kind);

// Frees the lines.
void outcome_clear(struct outcome *outcome);
