// SPDX-License-Identifier: MIT
// Keeps an arena's table of used tokens in files, so that neither a crash nor a restart nor a
// reboot makes a used token good again.
//
// The table is a file in the runtime directory, mapped: to note a nonce needs no system call and no
// disk. A clean end copies it into the state directory. While it is in use, the file there says so:
// where the table is then found missing or damaged, after a power cut for instance, it is unknown
// which tokens were used, and none is good that could have been used before (see
// used_tokens_unknown_until).
#pragma once

#include "used_tokens.h"

struct used_tokens_file;

struct used_tokens_file_def {
    const char *name;    // of the arena; part of the files' names
    const char *runtime; // directories; NULL: none. Without either the table ends with the process
    const char *state;
    int64_t now_s; // seconds since 1970
};

// Opens the table of an arena, or makes it. NULL, with a reason in `error`, where the files cannot
// be written. Where it begins to be unknown what was used, `error` says so, too; it is empty
// otherwise.
struct used_tokens_file *used_tokens_file_open(const struct used_tokens_file_def *def, char *error,
                                               size_t capacity);

// Copies the table into the state directory, where there is one. Takes NULL.
void used_tokens_file_close(struct used_tokens_file *store);

// The table; valid until it is closed.
struct used_tokens *used_tokens_file_table(struct used_tokens_file *store);

// The arena has another name from now on. False, with a reason, where its files cannot be renamed.
bool used_tokens_file_rename(struct used_tokens_file *store, const char *name, int64_t now_s,
                             char *error, size_t capacity);
