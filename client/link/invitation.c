// SPDX-License-Identifier: MIT
// Checks the proof and the nonce of an invitation.
#include "invitation.h"

#include "crypto.h"

#include <assert.h>
#include <string.h>

static_assert(RAIM_TOKEN_BYTES == RAIM_CRYPTO_SIPHASH_KEY_BYTES, "a token is a key");
static_assert(sizeof(uint64_t) == sizeof((struct raim_invite){0}.proof), "a proof is a hash");

static bool is_right(const struct raim_invite *invite, const uint8_t token[RAIM_TOKEN_BYTES])
{
    uint8_t proof[sizeof invite->proof];
    const uint64_t hash = raim_crypto_siphash(token, invite->nonce, sizeof invite->nonce);
    for (size_t i = 0; i < sizeof proof; i++)
        proof[i] = (uint8_t)(hash >> 8 * i);
    return raim_crypto_is_equal(proof, invite->proof, sizeof proof);
}

bool raim_invitation_take(struct raim_invitations *invitations, const struct raim_invite *invite,
                          const uint8_t token[RAIM_TOKEN_BYTES])
{
    if (invitations->count == RAIM_INVITATIONS || !is_right(invite, token))
        return false;
    for (uint32_t i = 0; i < invitations->count; i++)
        if (memcmp(invitations->nonces[i], invite->nonce, sizeof invite->nonce) == 0)
            return false;
    memcpy(invitations->nonces[invitations->count++], invite->nonce, sizeof invite->nonce);
    return true;
}
