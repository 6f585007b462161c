// SPDX-License-Identifier: MIT
// SipHash-2-4 (Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012) of a source.
#include "challenge.h"

#include "crypto.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>

static_assert(CHALLENGE_KEY_BYTES == RAIM_CRYPTO_SIPHASH_KEY_BYTES, "a key of SipHash");

bool challenge_is_due(const struct challenge *challenge, int64_t now_ms)
{
    return !challenge->has_key || now_ms - challenge->renewed_ms >= CHALLENGE_EPOCH_MS;
}

void challenge_renew(struct challenge *challenge, const uint8_t key[CHALLENGE_KEY_BYTES],
                     int64_t now_ms)
{
    // Where nobody asked for longer than an epoch, the key before this one is too old as well.
    const bool keeps_last =
        challenge->has_key && now_ms - challenge->renewed_ms < 2 * CHALLENGE_EPOCH_MS;
    memcpy(challenge->keys[1], keeps_last ? challenge->keys[0] : key, CHALLENGE_KEY_BYTES);
    memcpy(challenge->keys[0], key, CHALLENGE_KEY_BYTES);
    // Epochs follow each other without a gap, however late the first question of one comes.
    challenge->renewed_ms = keeps_last ? challenge->renewed_ms + CHALLENGE_EPOCH_MS : now_ms;
    challenge->has_key = true;
}

bool challenge_refresh(struct challenge *challenge, int64_t now_ms)
{
    if (!challenge_is_due(challenge, now_ms))
        return true;
    uint8_t key[CHALLENGE_KEY_BYTES];
    if (getrandom(key, sizeof key, 0) != sizeof key)
        return false;
    challenge_renew(challenge, key, now_ms);
    return true;
}

static uint32_t hash(const uint8_t key[CHALLENGE_KEY_BYTES], enum challenge_purpose purpose,
                     uint32_t address, uint16_t port)
{
    uint8_t source[sizeof address + sizeof port + 1];
    memcpy(source, &address, sizeof address);
    memcpy(source + sizeof address, &port, sizeof port);
    source[sizeof address + sizeof port] = (uint8_t)purpose;
    const uint32_t number = (uint32_t)raim_crypto_siphash(key, source, sizeof source) & INT32_MAX;
    return number == 0 ? 1 : number;
}

uint32_t challenge_of(const struct challenge *challenge, enum challenge_purpose purpose,
                      uint32_t address, uint16_t port)
{
    assert(challenge->has_key);
    return hash(challenge->keys[0], purpose, address, port);
}

bool challenge_is_met(const struct challenge *challenge, enum challenge_purpose purpose,
                      uint32_t address, uint16_t port, uint32_t answer)
{
    assert(challenge->has_key);
    return answer == hash(challenge->keys[0], purpose, address, port) ||
           answer == hash(challenge->keys[1], purpose, address, port);
}
