// SPDX-License-Identifier: MIT
// What the main thread keeps in $STATE_DIRECTORY: events, arenas, bans, used access tokens, the
// hook's cursor, the fetched ban list. A thread, raimd-store, writes it, so that no other thread
// waits for the disk, even one that stalls for minutes. Changes are written in the order of their
// posting; a new content of a whole file takes the place of the older changes of that file that
// still wait. What waits is bounded. A change survives the process once it counts as written. A
// name that is an absolute path is a file elsewhere: the portable checkpoints.
// Thread rule: main thread only.
#pragma once

#include "metric.h"
#include "state_file.h"
#include "watchers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_WAITING_BYTES ((size_t)16 << 20) // beyond it a change is rejected
#define STORE_LATE_MS 1000                     // then nobody waits for it any more

extern const struct metric_table store_metrics; // of a struct store

struct loop;
struct store;

// Copies the path of the directory; NULL: nothing is kept. Returns NULL when memory runs out, or
// where the path is too long.
struct store *store_create(const char *directory);

// Rejects every change: the files are only read.
void store_only_read(struct store *store);

// Starts the thread; the loop takes note of what it has written. Until then changes wait. False
// with errno.
bool store_start(struct store *store, struct loop *loop);

// Calls a watcher, which it borrows, whenever changes were written, have failed or are late.
void store_watch(struct store *store, struct watcher *watcher);
void store_unwatch(struct store *store, struct watcher *watcher);

// Writes what waits in the caller's thread. The store's own must not have been started.
void store_flush(struct store *store);

// Waits until all is written, however long the disk takes, and ends the thread. Later changes wait
// for store_flush. Takes NULL.
void store_stop(struct store *store);

// Stops and flushes the store, and frees it. Takes NULL.
void store_close(struct store *store);

// Locks the directory, until the store is closed, against another raimd. False if one has it. Where
// the file system has no such locks, it always succeeds.
bool store_lock(struct store *store);

// Whether anything is kept; false for NULL.
bool store_has_directory(const struct store *store);

// Writes the path of a file of the directory for who reads it before store_start. False where
// nothing is kept, or the path is too long.
bool store_path(const struct store *store, const char *name, char path[PATH_MAX]);

// Whether the file is there once every change posted so far is written. Asks no disk: the names
// that were there at first are known.
bool store_has(const struct store *store, const char *name);

// When the directory was restored from a backup, in seconds since 1970; 0: never.
int64_t store_restored_s(const struct store *store);

// Whether the thread runs, so that changes of a file may wait: it is not to be read any more.
bool store_is_running(const struct store *store);

// Counts and logs the lines of a file that were read and not understood, as those of a newer
// version, and of which `first` is the first. The reader of a file keeps them.
void store_note_unread(struct store *store, const char *name, uint32_t first, uint32_t lines);

// How many lines that is, of all files.
uint64_t store_unread(const struct store *store);

// Changes of the file `name`. Each returns its number; 0: it is rejected, and counted as lost,
// because too much waits or memory ran out, or nothing is kept.

// Replaces the content. Takes `bytes`, which malloc allocated; NULL: memory ran out.
uint64_t store_replace(struct store *store, const char *name, char *bytes, size_t size,
                       enum state_file_durability durability);

// Replaces the content by what the writing thread makes of `bytes`, which it takes as above: a text
// for free(), NULL where memory ran out. See STATE_FILE_FULL_DISK.
typedef char *store_encoder(const char *bytes, size_t *size);
uint64_t store_replace_encoded(struct store *store, const char *name, char *bytes, size_t size,
                               store_encoder *encode);

// Appends to a file that is there. After a change of this file that failed it fails, too, until
// one that replaces the content succeeds. Takes `bytes` as above.
uint64_t store_append(struct store *store, const char *name, char *bytes, size_t size);

// Removes the file, if it is there.
uint64_t store_remove(struct store *store, const char *name);

// Syncs the directory, as the file "": that earlier changes made or removed files is on the disk
// once this is written. One is enough for many files.
uint64_t store_sync(struct store *store);

// --- What has become of them ---

enum store_outcome { STORE_WAITS, STORE_WRITTEN, STORE_FAILED };

// Of the change of this file and number. After STORE_FAILED the file has its old content.
enum store_outcome store_outcome(struct store *store, const char *name, uint64_t number);

// Changes of a file that have failed.
uint64_t store_failures(struct store *store, const char *name);

// Number of the last change, or 0.
uint64_t store_newest(struct store *store);

// Every change up to this number has been written or has failed.
uint64_t store_written(struct store *store);

// Changes that are not on the disk: they failed, or were rejected.
uint64_t store_lost(struct store *store);

// Whether a change has waited for longer than STORE_LATE_MS.
bool store_is_late(struct store *store);
