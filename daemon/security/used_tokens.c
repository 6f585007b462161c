// SPDX-License-Identifier: MIT
// A hash table of nonces with buckets of fixed size.
#include "used_tokens.h"

#include "crypto.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

static_assert(USED_TOKENS_BUCKETS * USED_TOKENS_BUCKET_ENTRIES == 2 * USED_TOKENS_CAPACITY,
              "buckets are at most half full on average");
static_assert(sizeof(struct used_tokens_entry) == 24, "no padding");
static_assert(sizeof(struct used_tokens) == 16 + sizeof(struct used_tokens_entry) *
                                                     USED_TOKENS_BUCKETS *
                                                     USED_TOKENS_BUCKET_ENTRIES,
              "no padding");

void used_tokens_init(struct used_tokens *tokens, uint64_t unknown_until_s)
{
    memset(tokens, 0, sizeof *tokens);
    tokens->unknown_until_s = unknown_until_s;
}

static const struct used_tokens_entry *bucket_of(const struct used_tokens *tokens,
                                                 const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES])
{
    static const uint8_t key[RAIM_CRYPTO_SIPHASH_KEY_BYTES] =
        "raim nonces"; // not secret: only the signer chooses nonces
    const uint64_t hash = raim_crypto_siphash(key, nonce, RAIM_ACCESS_NONCE_BYTES);
    return tokens->buckets[hash % USED_TOKENS_BUCKETS];
}

bool used_tokens_has(const struct used_tokens *tokens, const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES])
{
    const struct used_tokens_entry *bucket = bucket_of(tokens, nonce);
    for (int i = 0; i < USED_TOKENS_BUCKET_ENTRIES; i++)
        if (bucket[i].expiry_s != 0 && memcmp(bucket[i].nonce, nonce, sizeof bucket[i].nonce) == 0)
            return true;
    return false;
}

bool used_tokens_add(struct used_tokens *tokens, const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES],
                     uint64_t expiry_s, uint64_t expired_s)
{
    assert(expiry_s > 0);
    struct used_tokens_entry *bucket = (struct used_tokens_entry *)bucket_of(tokens, nonce);
    for (int i = 0; i < USED_TOKENS_BUCKET_ENTRIES; i++) {
        const uint64_t before_s = bucket[i].expiry_s;
        if (before_s > expired_s)
            continue;
        // A process killed between any two of these stores leaves a free or a complete entry.
        if (before_s > tokens->forgotten_until_s)
            tokens->forgotten_until_s = before_s;
        atomic_store(&bucket[i].expiry_s, 0);
        memcpy(bucket[i].nonce, nonce, sizeof bucket[i].nonce);
        atomic_store(&bucket[i].expiry_s, expiry_s);
        return true;
    }
    return false;
}

uint64_t used_tokens_unknown_until(struct used_tokens *tokens, int64_t now_s)
{
    if (now_s > 0 && tokens->unknown_until_s > (uint64_t)now_s)
        tokens->unknown_until_s = (uint64_t)now_s;
    return tokens->unknown_until_s;
}

uint64_t used_tokens_forgotten_until(const struct used_tokens *tokens)
{
    return tokens->forgotten_until_s;
}
