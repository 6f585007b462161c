// SPDX-License-Identifier: MIT
// Compares proofs.
#include "invitation.h"

#include "crypto.h"

#include <assert.h>

static_assert(RAIM_TOKEN_BYTES == RAIM_CRYPTO_HASH_KEY_BYTES, "a token is a key");

bool raim_invitation_is_right(const struct raim_invite *invite,
                              const uint8_t token[RAIM_TOKEN_BYTES])
{
    uint8_t proof[RAIM_CRYPTO_HASH_BYTES];
    static_assert(sizeof proof == sizeof invite->proof, "a proof is a hash");
    raim_crypto_siphash(token, invite->nonce, sizeof invite->nonce, proof);
    return raim_crypto_is_equal(proof, invite->proof, sizeof proof);
}
