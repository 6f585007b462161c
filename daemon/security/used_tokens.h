// SPDX-License-Identifier: MIT
// Replay protection: which access tokens have been used, by their nonces, until they have expired.
// The table is one flat value, which may lie in a mapped file: to note a nonce is a store to memory
// that the kernel keeps when the process is killed (see used_tokens_file.h). No files, no clock.
// Thread rule: a table belongs to one thread at a time.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As many as there is room for in any case that random nonces lead to; see used_tokens_add.
#define USED_TOKENS_CAPACITY 8192

enum {
    // With USED_TOKENS_CAPACITY random nonces a bucket has 32 in the mean; that any of them has
    // more than 64 happens once in ten thousand times.
    USED_TOKENS_BUCKETS = 256,
    USED_TOKENS_BUCKET_ENTRIES = 64,
};

struct used_tokens_entry {
    uint8_t nonce[RAIM_ACCESS_NONCE_BYTES];
    _Atomic uint64_t expiry_s; // 0: free
};

struct used_tokens {
    uint64_t unknown_until_s; // see the functions of these names
    uint64_t forgotten_until_s;
    struct used_tokens_entry buckets[USED_TOKENS_BUCKETS][USED_TOKENS_BUCKET_ENTRIES];
};

// No token was used; which ones were before `unknown_until_s` is not known, 0: all are.
void used_tokens_init(struct used_tokens *tokens, uint64_t unknown_until_s);

bool used_tokens_has(const struct used_tokens *tokens,
                     const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES]);

// Notes a nonce before its bearer is admitted, in place of one that expired at `expired_s` or
// before where there is one. False when there is no room.
bool used_tokens_add(struct used_tokens *tokens, const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES],
                     uint64_t expiry_s, uint64_t expired_s);

// Which tokens were used before this time is not known; 0: all are. It is never after `now_s`, not
// even when the clock was ahead while the table was opened, and has been set back since.
uint64_t used_tokens_unknown_until(struct used_tokens *tokens, int64_t now_s);

// Nonces whose tokens expired until then may have been forgotten: such a token must not be good
// again when the clock is set back.
uint64_t used_tokens_forgotten_until(const struct used_tokens *tokens);
