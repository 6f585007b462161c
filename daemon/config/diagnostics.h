// SPDX-License-Identifier: MIT
// Collects the mistakes of a configuration, one line each: counted, none of them the last word. A
// warning is told among them and not counted.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum diagnostics_style {
    DIAGNOSTICS_TEXT,    // "place: message"
    DIAGNOSTICS_JOURNAL, // the same behind the journal's <N> priority
    DIAGNOSTICS_JSON,    // an array of {"file", "line", "key", "message"}; line and key may be null
};

struct path_list;

struct diagnostics {
    FILE *out; // borrowed
    int problems;
    bool no_memory; // ran out; `out` may lack lines
    enum diagnostics_style style;
    int entries;                   // mistakes and warnings
    struct path_list *directories; // gets those of all files that are read; NULL: not wanted
};

// Writes "place: message", cut after some thousand bytes. Allocates nothing itself. The place is a
// file, "file:line" or "file:line: key".
__attribute__((format(printf, 3, 4))) void
diagnostics_add(struct diagnostics *diagnostics, const char *location, const char *format, ...);

// Writes "place: warning: message".
__attribute__((format(printf, 3, 4))) void
diagnostics_warn(struct diagnostics *diagnostics, const char *location, const char *format, ...);

// Counts as a problem that memory ran out. Writes nothing: whoever began the report says it.
void diagnostics_no_memory(struct diagnostics *diagnostics);

// Ends the array of DIAGNOSTICS_JSON, which is empty when nothing was added. Does nothing in other
// styles.
void diagnostics_end(struct diagnostics *diagnostics);
