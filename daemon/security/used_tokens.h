// SPDX-License-Identifier: MIT
// Replay protection: which access tokens have been used, by their nonces, until they have expired;
// kept in files so that neither a crash nor a restart nor a reboot makes a used token good again.
//
// The table is a file in the runtime directory, mapped: to note a nonce is a store to memory that
// the kernel keeps when the process is killed, no system call and no disk. A clean end copies it
// into the state directory. While it is in use, the file there says so: where the table is then
// found missing or damaged, after a power cut for instance, it is unknown which tokens were used,
// and none is good that could have been used before (see used_tokens_unknown_until).
// Thread rule: a table belongs to one thread at a time. Only add touches no file system.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As many as there is room for in any case that random nonces lead to; see used_tokens_add.
#define USED_TOKENS_CAPACITY 8192

struct used_tokens;

struct used_tokens_def {
    const char *name;    // of the arena; part of the files' names
    const char *runtime; // directories; NULL: none. Without either the table ends with the process
    const char *state;
    int64_t now_s; // seconds since 1970
};

// Opens the table of an arena, or makes it. NULL, with a reason in `error`, where the files cannot
// be written. Where it begins to be unknown what was used, `error` says so, too.
struct used_tokens *used_tokens_open(const struct used_tokens_def *def, char *error,
                                     size_t capacity);

// Copies the table into the state directory, where there is one. Takes NULL.
void used_tokens_close(struct used_tokens *tokens);

// The arena has another name from now on. False, with a reason, where its files cannot be renamed.
bool used_tokens_rename(struct used_tokens *tokens, const char *name, int64_t now_s, char *error,
                        size_t capacity);

bool used_tokens_has(const struct used_tokens *tokens,
                     const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES]);

// Notes a nonce before its bearer is admitted, in place of one that expired at `over_s` or before
// where there is one. False when there is no room.
bool used_tokens_add(struct used_tokens *tokens, const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES],
                     uint64_t expiry_s, uint64_t over_s);

// Which tokens were used before this time is not known; 0: all are. It is never after `now_s`, not
// even when the clock was ahead while the table was opened, and has been set back since.
uint64_t used_tokens_unknown_until(struct used_tokens *tokens, int64_t now_s);

// Nonces whose tokens expired until then may have been forgotten: such a token must not be good
// again when the clock is set back.
uint64_t used_tokens_forgotten_until(const struct used_tokens *tokens);
