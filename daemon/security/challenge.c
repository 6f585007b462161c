// SPDX-License-Identifier: MIT
// SipHash-2-4 (Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012) of a source, with
// keys that BLAKE2b derives from the secret.
#include "challenge.h"

#include "crypto.h"

#include <assert.h>
#include <string.h>

static_assert(CHALLENGE_KEY_BYTES == RAIM_CRYPTO_SIPHASH_KEY_BYTES, "a key of SipHash");
static_assert(CHALLENGE_SECRET_BYTES == RAIM_CRYPTO_KEY_BYTES, "a key of BLAKE2b");

void challenge_init(struct challenge *challenge, const uint8_t secret[CHALLENGE_SECRET_BYTES])
{
    memcpy(challenge->secret, secret, CHALLENGE_SECRET_BYTES);
    challenge->epoch = -1;
}

static void derive_key(const struct challenge *challenge, int64_t epoch,
                       uint8_t key[CHALLENGE_KEY_BYTES])
{
    uint8_t hash[RAIM_CRYPTO_HASH_BYTES];
    raim_crypto_hash(challenge->secret, &epoch, sizeof epoch, NULL, 0, hash);
    memcpy(key, hash, CHALLENGE_KEY_BYTES);
}

static void refresh(struct challenge *challenge, int64_t now_ms)
{
    assert(now_ms >= 0);
    const int64_t epoch = now_ms / CHALLENGE_EPOCH_MS;
    if (challenge->epoch == epoch)
        return;
    challenge->epoch = epoch;
    derive_key(challenge, epoch, challenge->keys[0]);
    derive_key(challenge, epoch - 1, challenge->keys[1]);
}

static uint32_t hash(const uint8_t key[CHALLENGE_KEY_BYTES], enum challenge_purpose purpose,
                     struct udp_address source)
{
    // Only this process computes the hash, so its byte order does not matter.
    const uint64_t parts[] = {source.ip.high, source.ip.low,
                              (uint64_t)source.scope << 32 | (uint64_t)source.port << 8 | purpose};
    const uint32_t number = (uint32_t)raim_crypto_siphash(key, parts, sizeof parts) & INT32_MAX;
    return number == 0 ? 1 : number;
}

uint32_t challenge_compute(struct challenge *challenge, enum challenge_purpose purpose,
                           struct udp_address source, int64_t now_ms)
{
    refresh(challenge, now_ms);
    return hash(challenge->keys[0], purpose, source);
}

bool challenge_verify(struct challenge *challenge, enum challenge_purpose purpose,
                      struct udp_address source, uint32_t answer, int64_t now_ms)
{
    refresh(challenge, now_ms);
    return answer == hash(challenge->keys[0], purpose, source) ||
           answer == hash(challenge->keys[1], purpose, source);
}
