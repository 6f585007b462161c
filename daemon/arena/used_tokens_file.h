// SPDX-License-Identifier: MIT
// Persistent replay protection of access tokens: an arena's table of used tokens in files, so that
// neither a crash nor a restart nor a reboot makes a used token valid again.
//
// The table is a mapped file in the runtime directory, so that recording a nonce needs no system
// call and no disk. A clean end copies it into the state directory, by the store, so that nobody
// waits for the disk. While the table is in use, a mark takes the place of that copy. If the table
// is then missing or damaged, after a power cut for instance, the used tokens are unknown, and
// every token that could have been used before is rejected (see used_tokens_unknown_until). Thread
// rule: the main thread, unless a function says otherwise.
#pragma once

#include "store.h"
#include "used_tokens.h"

struct used_tokens_file;

struct used_tokens_file_def {
    const char *name;    // of the arena; part of the file names
    const char *runtime; // a directory; NULL: none. With neither, the table ends with the process
    struct store *store; // borrowed; without a directory, or NULL: none
    int64_t now_s;       // seconds since 1970
    bool is_continued;   // a table must exist: without one the tokens used so far are unknown
};

// Opens or creates the table of an arena. The copy is read only before the store runs; later, the
// tokens used so far are unknown where there is one and no table in the runtime directory. Returns
// NULL and writes a reason into `error` if the file cannot be written. On success `error` is empty,
// or says that the tokens used so far are unknown.
struct used_tokens_file *used_tokens_file_open(const struct used_tokens_file_def *def, char *error,
                                               size_t capacity);

// Has the mark stored under the arena's name. It must be on the disk before a token is admitted: a
// power cut could bring the copy back. Post a store_sync after it, one for many tables, and note
// its number. With another name than before it also removes the old mark, and returns whether
// another arena has left a copy or mark of the new name.
bool used_tokens_file_mark(struct used_tokens_file *file, const char *name);
void used_tokens_file_note_sync(struct used_tokens_file *file, uint64_t number);

// What has become of the mark.
enum store_outcome used_tokens_file_marked(const struct used_tokens_file *file);

// The file in the state directory; "": none.
const char *used_tokens_file_name(const struct used_tokens_file *file);

// Leaves the files to another arena, which has taken the name.
void used_tokens_file_leave(struct used_tokens_file *file);

// Has the table, if it was marked, copied into the state directory, and frees it. Takes NULL. The
// file in the runtime directory is removed once the copy is written, if the store has stopped;
// until then it is that of an arena that is added again.
void used_tokens_file_close(struct used_tokens_file *file);

// Removes the file of the runtime directory and frees the table: the arena's name is never used
// again. Takes NULL.
void used_tokens_file_remove(struct used_tokens_file *file);

// The table, valid until used_tokens_file_close.
struct used_tokens *used_tokens_file_table(struct used_tokens_file *file);

// Renames the file in the runtime directory for another name of its arena. Where there was one of
// that name, or `is_known`, the uses before `now_s`, in seconds since 1970, are unknown: an earlier
// arena had admitted tokens. Returns false and writes a reason if that fails. The thread that
// records tokens.
bool used_tokens_file_rename(struct used_tokens_file *file, const char *name, bool is_known,
                             int64_t now_s, char *error, size_t capacity);
