// SPDX-License-Identifier: MIT
// Diagnostics of a configuration: writes each mistake and warning as one entry, and counts the
// mistakes. Reading continues after a mistake, so that one run reports all, and may hold the
// entries to write them in the order of the lines. Warnings are not counted as problems.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum diagnostics_style {
    DIAGNOSTICS_TEXT,    // "location: message"
    DIAGNOSTICS_JOURNAL, // a line of DIAGNOSTICS_TEXT after the journal's <N> priority
    DIAGNOSTICS_JSON,    // an array of {"file", "line", "key", "message"}; line and key may be null
};

struct path_list;
struct diagnostics_entry;

struct diagnostics {
    FILE *out; // borrowed
    int problems;
    bool no_memory; // memory ran out; `out` may lack lines
    enum diagnostics_style style;
    int entries;                   // mistakes and warnings written
    struct path_list *directories; // receives the directories of all files read; may be NULL
    bool is_holding;
    struct diagnostics_entry *held; // owned
    int held_count;
};

// Writes "location: message" and counts a problem. Long texts are cut at several thousand bytes.
// Allocates only while entries are held. The location is a file, "file:line" or "file:line: key".
__attribute__((format(printf, 3, 4))) void
diagnostics_add(struct diagnostics *diagnostics, const char *location, const char *format, ...);

// Writes "location: warning: message".
__attribute__((format(printf, 3, 4))) void
diagnostics_warn(struct diagnostics *diagnostics, const char *location, const char *format, ...);

// Holds all entries until the release, which writes them by file, in the order in which the files
// were first named, and line.
void diagnostics_hold(struct diagnostics *diagnostics);
void diagnostics_release(struct diagnostics *diagnostics);

// Counts an allocation failure as a problem. Writes nothing; the caller that created the
// diagnostics reports it.
void diagnostics_no_memory(struct diagnostics *diagnostics);

// Closes the array of DIAGNOSTICS_JSON; writes an empty array if there are no entries. Has no
// effect in other styles.
void diagnostics_end(struct diagnostics *diagnostics);
