// SPDX-License-Identifier: MIT
// Persistent replay protection of access tokens: an arena's table of used tokens in files, so that
// neither a crash nor a restart nor a reboot makes a used token valid again.
//
// The table is a mapped file in the runtime directory, so that recording a nonce needs no system
// call and no disk. A clean end copies it into the state directory. While the table is in use, a
// mark takes the place of that copy. If the table is then missing or damaged, after a power cut for
// instance, the used tokens are unknown, and every token that could have been used before is
// refused (see used_tokens_unknown_until).
#pragma once

#include "used_tokens.h"

struct used_tokens_file;

struct used_tokens_file_def {
    const char *name;    // of the arena; part of the file names
    const char *runtime; // a directory; NULL: none. With neither, the table ends with the process
    const char *state;   // a directory; NULL: none
    int64_t now_s;       // seconds since 1970
    bool is_continued;   // a table must exist: without one the tokens used so far are unknown
};

// Opens or creates the table of an arena. Returns NULL and writes a reason into `error` if the
// files cannot be written. On success `error` is empty, or says that the tokens used so far are
// unknown.
struct used_tokens_file *used_tokens_file_open(const struct used_tokens_file_def *def, char *error,
                                               size_t capacity);

// Whether there is a mark in the state directory, which must be synced before a token is admitted:
// a power cut could bring the copy back. One sync is enough for all tables of a directory. False
// with errno.
bool used_tokens_file_is_marked(const struct used_tokens_file *store);
bool used_tokens_file_sync(const struct used_tokens_file *store);

// Copies the table into the state directory, if there is one, and frees it. Takes NULL.
void used_tokens_file_close(struct used_tokens_file *store);

// Removes the files and frees the table: the arena's name is never used again. Takes NULL.
void used_tokens_file_remove(struct used_tokens_file *store);

// The table, valid until used_tokens_file_close.
struct used_tokens *used_tokens_file_table(struct used_tokens_file *store);

// Renames the files for another name of their arena. Returns false and writes a reason if that
// fails. `now_s` is in seconds since 1970.
bool used_tokens_file_rename(struct used_tokens_file *store, const char *name, int64_t now_s,
                             char *error, size_t capacity);
