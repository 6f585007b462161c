// SPDX-License-Identifier: MIT
// The list of recordings, private to the two files that implement it: recordings.c keeps it,
// recordings_scan.c fills it from the directory.
#pragma once

#include "recordings.h"

#include <pthread.h>

enum { RECORDINGS_NOTICES = 64 };

struct row {
    int64_t start_s; // in the name
    struct recording_entry entry;
};

struct recordings {
    const struct wakeup *wakeup;
    pthread_mutex_t mutex; // guards what follows
    int directory;
    bool is_scanned; // the directory was read
    struct recordings_limits limits;
    uint64_t version;
    uint32_t count, capacity;
    struct row **rows; // ascending by start_s and name; owned
    uint64_t bytes, kept_bytes;
    uint32_t notice_count, taken_notices; // ever; numbers modulo RECORDINGS_NOTICES
    struct recording_notice notices[RECORDINGS_NOTICES];
};

// Adds an entry. Returns false if its name is wrong or listed already, or when memory runs out. The
// caller holds the mutex.
bool recordings_insert(struct recordings *recordings, const struct recording_entry *entry);

// Reads the data of a recording in the list from its file: its name, head and index. Thread
// rule: any thread.

// Opens a finished recording for reading, without waiting and without following a symbolic link.
// Returns -1 with errno.
int recording_open_file(int directory, const char *name);

// Fills in the entry of a file. A file that cannot be read as a recording has the values of its
// name and its size alone. Returns false if there is no regular file of this name, or if the name
// is not a recording's.
bool recording_describe(int directory, const char *name, struct recording_entry *entry);
