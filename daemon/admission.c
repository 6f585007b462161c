// SPDX-License-Identifier: MIT
// Judges access tokens: what is cheap to see first, the signature last.
#include "admission.h"

#include "access.h"
#include "crypto.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(ADMISSION_KEY_BYTES == CRYPTO_KEY_BYTES, "a key of Ed25519");
static_assert(RAIM_ACCESS_SIGNATURE_BYTES == CRYPTO_SIGNATURE_BYTES, "Ed25519");
static_assert(ADMISSION_NAME_BYTES == RAIM_ACCESS_NAME_BYTES, "every name fits");

struct used {
    uint64_t nonce;
    uint64_t expiry;
};

struct admission {
    char arena[RAIM_ACCESS_ARENA_BYTES];
    struct admission_keys keys;
    uint32_t count;
    struct used used[ADMISSION_TOKENS];
};

bool admission_read_keys(const char *text, struct admission_keys *keys)
{
    for (keys->count = 0; keys->count < ADMISSION_MAX_KEYS; text++) {
        if (!crypto_read_key(text, keys->keys[keys->count]))
            return false;
        keys->count++;
        text += CRYPTO_KEY_DIGITS;
        if (*text != ' ')
            return *text == '\0';
    }
    return false;
}

struct admission *admission_create(const char *arena, const struct admission_keys *keys)
{
    assert(keys->count >= 1 && keys->count <= ADMISSION_MAX_KEYS);
    struct admission *admission = calloc(1, sizeof *admission);
    if (admission == NULL || !crypto_start()) {
        free(admission);
        return NULL;
    }
    admission_rename(admission, arena);
    admission->keys = *keys;
    return admission;
}

void admission_rename(struct admission *admission, const char *arena)
{
    assert(strlen(arena) < sizeof admission->arena);
    strcpy(admission->arena, arena);
}

void admission_destroy(struct admission *admission)
{
    free(admission);
}

static bool is_over(uint64_t expiry, int64_t now_s)
{
    return now_s > ADMISSION_SKEW_S && (uint64_t)(now_s - ADMISSION_SKEW_S) >= expiry;
}

// Forgets what has expired by now, and tells whether a nonce is left.
static bool is_used(struct admission *admission, uint64_t nonce, int64_t now_s)
{
    uint32_t kept = 0;
    bool found = false;
    for (uint32_t i = 0; i < admission->count; i++) {
        if (is_over(admission->used[i].expiry, now_s))
            continue;
        found = found || admission->used[i].nonce == nonce;
        admission->used[kept++] = admission->used[i];
    }
    admission->count = kept;
    return found;
}

static bool is_signed(const struct admission *admission, const uint8_t *token, size_t signed_size)
{
    for (int i = 0; i < admission->keys.count; i++)
        if (crypto_is_signed(token, signed_size, token + signed_size, admission->keys.keys[i]))
            return true;
    return false;
}

enum admission_verdict admission_judge(struct admission *admission, const uint8_t *token,
                                       size_t size, int64_t now_s, char name[ADMISSION_NAME_BYTES])
{
    struct raim_access access;
    const size_t signed_size = raim_access_read(token, size, &access);
    if (signed_size == 0)
        return ADMISSION_MALFORMED;
    if (strcmp(access.arena, admission->arena) != 0)
        return ADMISSION_FOREIGN;
    if (is_over(access.expiry, now_s))
        return ADMISSION_EXPIRED;
    if (!is_signed(admission, token, signed_size))
        return ADMISSION_FORGED;
    if (is_used(admission, access.nonce, now_s))
        return ADMISSION_USED;
    if (admission->count == ADMISSION_TOKENS)
        return ADMISSION_CROWDED;
    admission->used[admission->count++] =
        (struct used){.nonce = access.nonce, .expiry = access.expiry};
    if (access.name[0] != '\0')
        memcpy(name, access.name, ADMISSION_NAME_BYTES);
    return ADMISSION_ADMITTED;
}

const char *admission_verdict_name(enum admission_verdict verdict)
{
    static const char *const names[ADMISSION_VERDICTS] = {
        [ADMISSION_ADMITTED] = "admitted", [ADMISSION_MALFORMED] = "malformed",
        [ADMISSION_FOREIGN] = "foreign",   [ADMISSION_EXPIRED] = "expired",
        [ADMISSION_USED] = "used",         [ADMISSION_CROWDED] = "crowded",
        [ADMISSION_FORGED] = "forged",
    };
    assert((unsigned)verdict < ADMISSION_VERDICTS);
    return names[verdict];
}
