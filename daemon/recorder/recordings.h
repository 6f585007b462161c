// SPDX-License-Identifier: MIT
// The directory of finished recordings: the list that HTTP and raimctl show, which files the
// operator keeps, and retention. Files in progress are not in it; see recorder.h.
// Thread rule: any thread, by the sides below; a mutex is held for memory and to open a file, never
// while a file is read, written or deleted. Workers must not call it.
#pragma once

#include "recording_name.h"
#include "wakeup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAP_BYTES 32     // as RAIM_MAP_NAME_BYTES
#define RECORDINGS_MAX (16 * 1024) // in the list; beyond it the oldest files are deleted

#define RECORDING_BEST 16 // players in a recording's entry

// A finished recording.
struct recording_entry {
    char name[RECORDING_NAME_BYTES]; // of the file, see recording_name.h
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    char map[RECORDING_MAP_BYTES];        // "" if the file could not be read
    char winner[RAIM_MAX_NAME_BYTES + 1]; // ""; nobody, a draw, or the round did not end
    int64_t start_ms;                     // unix time
    uint64_t size;                        // bytes
    uint32_t ticks, tick_hz;              // the length; 0 if the file could not be read
    uint32_t round;                       // of the arena, from 1 on
    uint32_t part;                        // of the round, from 1 on: long rounds are split
    uint32_t players, bots;               // that were in it; 0 if the file could not be read
    uint32_t best_count;                  // the players with most points; no bots
    struct {
        char name[RAIM_MAX_NAME_BYTES + 1];
        uint32_t score, deaths;
    } best[RECORDING_BEST]; // the best first
    bool is_complete;       // false: a crash ended it; its whole frames are readable
    bool is_clip;
    bool is_kept; // by the operator: exempt from retention
};

struct recordings_limits {
    uint64_t bytes; // of all files that are not kept, with those in progress
    double days;    // since a recording began; 0: no limit
};

// A recording has been finished.
struct recording_notice {
    char name[RECORDING_NAME_BYTES];
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    uint32_t round;
    bool is_clip;
};

struct recordings;

// Opens a directory, creating it with mode 0700 if its parent exists; it must not be writable by
// others than its owner. The list is empty until recordings_scan. Borrows `wakeup`, of the main
// thread, which is signalled with every change of the list. Returns NULL with a reason in `error`.
struct recordings *recordings_open(const char *path, const struct recordings_limits *limits,
                                   const struct wakeup *wakeup, char *error, size_t capacity);

// Takes NULL. No other thread may be using it.
void recordings_close(struct recordings *recordings);

// --- The main thread's side: listing and reading ---

// Changes whenever the list or an entry changes, for caches.
uint64_t recordings_version(struct recordings *recordings);

// The number of recordings in the list, and the bytes of their files.
uint32_t recordings_count(struct recordings *recordings, uint64_t *bytes);

// Copies up to `capacity` entries, the newest first: those after the one of the name `before`,
// which need not exist any more; NULL: from the newest on. Returns the number copied.
uint32_t recordings_list(struct recordings *recordings, const char *before,
                         struct recording_entry *entries, uint32_t capacity);

// Copies the entry of a file. Returns false if the list has none of this name.
bool recordings_find(struct recordings *recordings, const char *name,
                     struct recording_entry *entry);

// Opens a recording of the list for reading, and copies its entry. The descriptor stays valid when
// the recording is deleted. Returns -1 with errno; ENOENT if the list has none of this name.
int recordings_open_file(struct recordings *recordings, const char *name,
                         struct recording_entry *entry);

// Takes the oldest notice of a recording that was finished since the start. Returns false if there
// is none. If nobody takes them, the oldest are dropped.
bool recordings_take_notice(struct recordings *recordings, struct recording_notice *notice);

// Changes the limits; the next recordings_trim enforces them.
void recordings_set_limits(struct recordings *recordings, const struct recordings_limits *limits);

// Changes to another directory, whose list is empty until the next recordings_scan. Returns false
// with a reason and changes nothing if it cannot be opened.
bool recordings_move(struct recordings *recordings, const char *path, char *error, size_t capacity);

// --- The recorder thread's side ---

// A descriptor of the directory for files in progress, which the caller closes. Returns -1 with
// errno.
int recordings_directory(struct recordings *recordings);

// Fills the list from the directory unless that was done, and completes the files of a crash: those
// in progress that no process has locked. Returns true if it has read the directory.
bool recordings_scan(struct recordings *recordings);

// Completes the files of a crash alone.
void recordings_complete(struct recordings *recordings);

// Adds a finished file in `directory` to the list, if that is still the list's directory, and gives
// notice of it.
void recordings_add(struct recordings *recordings, int directory, const char *name);

// Deletes the oldest recordings until the limits hold. `unfinished_bytes` are those of files in
// progress, `now_s` is unix time. Returns the number deleted.
uint32_t recordings_trim(struct recordings *recordings, uint64_t unfinished_bytes, int64_t now_s);

// Exempts a recording from retention, or ends that. Returns false with errno; ENOENT if the list
// has none of this name.
bool recordings_keep(struct recordings *recordings, const char *name, bool is_kept);

// Deletes a recording, kept or not. Returns false with errno; as above.
bool recordings_delete(struct recordings *recordings, const char *name);
