// SPDX-License-Identifier: MIT
// Replay protection of access tokens: a table of the nonces of used tokens, each kept until its
// token expires. access_control.c asks it, and rejects a token that was used before. The table is
// one flat value that may lie in a mapped file: recording a nonce is a store to memory that the
// kernel keeps when the process is killed (see used_tokens_file.h). No files, no clock. Thread
// rule: a table belongs to one thread at a time.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The number of random nonces for which the table practically always has room.
#define USED_TOKENS_CAPACITY 8192

enum {
    // With USED_TOKENS_CAPACITY random nonces a bucket has 32 on average. The probability that any
    // bucket has more than 64 is one in ten thousand.
    USED_TOKENS_BUCKETS = 256,
    USED_TOKENS_BUCKET_ENTRIES = 64,
};

struct used_tokens_entry {
    uint8_t nonce[RAIM_ACCESS_NONCE_BYTES];
    _Atomic uint64_t expiry_s; // 0: free
};

struct used_tokens {
    uint64_t unknown_until_s; // see used_tokens_unknown_until and used_tokens_forgotten_until
    uint64_t forgotten_until_s;
    struct used_tokens_entry buckets[USED_TOKENS_BUCKETS][USED_TOKENS_BUCKET_ENTRIES];
};

// Begins an empty table. Uses before `unknown_until_s` are not known; 0: every use is known.
void used_tokens_init(struct used_tokens *tokens, uint64_t unknown_until_s);

// Whether the nonce is recorded as used.
bool used_tokens_has(const struct used_tokens *tokens,
                     const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES]);

// Records a nonce; call it before the client is admitted. May replace a nonce whose token expired
// at `expired_s` or earlier. `expiry_s` is greater than 0. False when there is no room.
bool used_tokens_add(struct used_tokens *tokens, const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES],
                     uint64_t expiry_s, uint64_t expired_s);

// The time before which uses are not known; 0: every use is known. The function lowers it to
// `now_s` if it lies in the future, which happens when the clock was ahead while the table was
// opened.
uint64_t used_tokens_unknown_until(struct used_tokens *tokens, int64_t now_s);

// The latest expiry of a nonce that was replaced. Tokens that expire then or earlier must be
// rejected even if the clock is set back, because their use may be forgotten.
uint64_t used_tokens_forgotten_until(const struct used_tokens *tokens);
