// SPDX-License-Identifier: MIT
// SipHash-2-4 by libsodium.
#include "invitation.h"

#include <sodium/crypto_shorthash.h>
#include <sodium/utils.h>

#include <assert.h>

static_assert(RAIM_TOKEN_BYTES == crypto_shorthash_KEYBYTES, "a token is a key");

bool raim_invitation_is_right(const struct raim_invite *invite,
                              const uint8_t token[RAIM_TOKEN_BYTES])
{
    uint8_t proof[sizeof invite->proof];
    static_assert(sizeof proof == crypto_shorthash_BYTES, "a proof is a hash");
    crypto_shorthash(proof, invite->nonce, sizeof invite->nonce, token);
    return sodium_memcmp(proof, invite->proof, sizeof proof) == 0;
}
