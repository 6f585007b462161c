// SPDX-License-Identifier: MIT
// Judges access tokens: what is cheap to see first, the signature last.
#include "access_control.h"

#include "access.h"
#include "crypto.h"
#include "used_tokens.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(ADMISSION_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES, "a key of Ed25519");
static_assert(RAIM_ACCESS_SIGNATURE_BYTES == RAIM_CRYPTO_SIGNATURE_BYTES, "Ed25519");
static_assert(ADMISSION_NAME_BYTES == RAIM_ACCESS_NAME_BYTES, "every name fits");
static_assert(RAIM_ACCESS_NONCE_BYTES == USED_TOKENS_NONCE_BYTES, "every nonce can be noted");

struct admission {
    char arena[RAIM_ACCESS_ARENA_BYTES];
    struct admission_keys keys;
    struct used_tokens *used; // NULL: they cannot be noted
};

// The key that a token names by its first bytes; NULL where there is none.
static const uint8_t *find_key(const struct admission_keys *keys,
                               const uint8_t id[RAIM_ACCESS_KEY_ID_BYTES])
{
    for (int i = 0; i < keys->count; i++)
        if (memcmp(keys->keys[i], id, RAIM_ACCESS_KEY_ID_BYTES) == 0)
            return keys->keys[i];
    return NULL;
}

bool admission_read_keys(const char *text, struct admission_keys *keys)
{
    for (keys->count = 0; keys->count < ADMISSION_MAX_KEYS; text++) {
        uint8_t *key = keys->keys[keys->count];
        if (!raim_crypto_read_key(text, key) || find_key(keys, key) != NULL)
            return false;
        keys->count++;
        text += RAIM_CRYPTO_KEY_DIGITS;
        if (*text != ' ')
            return *text == '\0';
    }
    return false;
}

static void set_arena(struct admission *admission, const char *arena)
{
    assert(strlen(arena) < sizeof admission->arena);
    strcpy(admission->arena, arena);
}

struct admission *admission_create(const struct admission_def *def, char *error, size_t capacity)
{
    assert(def->keys->count >= 1 && def->keys->count <= ADMISSION_MAX_KEYS);
    const struct used_tokens_def used = {
        .name = def->arena, .runtime = def->runtime, .state = def->state, .now_s = def->now_s};
    struct admission *admission = calloc(1, sizeof *admission);
    if (admission == NULL || !raim_crypto_init()) {
        free(admission);
        return NULL;
    }
    set_arena(admission, def->arena);
    admission->keys = *def->keys;
    error[0] = '\0';
    admission->used = used_tokens_open(&used, error, capacity);
    return admission;
}

void admission_rename(struct admission *admission, const char *arena, int64_t now_s, char *error,
                      size_t capacity)
{
    error[0] = '\0';
    if (strcmp(admission->arena, arena) == 0)
        return;
    set_arena(admission, arena);
    if (admission->used == NULL ||
        used_tokens_rename(admission->used, arena, now_s, error, capacity))
        return;
    used_tokens_close(admission->used);
    admission->used = NULL;
}

void admission_destroy(struct admission *admission)
{
    if (admission == NULL)
        return;
    used_tokens_close(admission->used);
    free(admission);
}

// The latest expiry of tokens that are not valid any more.
static uint64_t over_at(int64_t now_s)
{
    return now_s > ADMISSION_SKEW_S ? (uint64_t)(now_s - ADMISSION_SKEW_S) : 0;
}

// Tokens that become valid until then are valid, or have been.
static uint64_t begun_at(uint64_t now_s)
{
    return now_s < UINT64_MAX - ADMISSION_SKEW_S ? now_s + ADMISSION_SKEW_S : UINT64_MAX;
}

// All that needs no signature.
static enum admission_verdict judge_claims(const struct admission *admission,
                                           const struct raim_access *access, int64_t now_s)
{
    if (strcmp(access->arena, admission->arena) != 0)
        return ADMISSION_FOREIGN;
    if (access->not_before > begun_at(now_s > 0 ? (uint64_t)now_s : 0))
        return ADMISSION_EARLY;
    if (access->expiry <= over_at(now_s) || access->expiry <= access->not_before)
        return ADMISSION_EXPIRED;
    if (access->expiry - access->not_before > ADMISSION_MAX_LIFETIME_S)
        return ADMISSION_LASTING;
    if (find_key(&admission->keys, access->key_id) == NULL)
        return ADMISSION_UNKNOWN;
    if (admission->used == NULL)
        return ADMISSION_UNRECORDED;
    const uint64_t unknown_until_s = used_tokens_unknown_until(admission->used, now_s);
    if (access->expiry <= used_tokens_forgotten_until(admission->used) ||
        (unknown_until_s > 0 && access->not_before <= begun_at(unknown_until_s)))
        return ADMISSION_UNRECORDED;
    // A token that comes again and again costs no signature.
    return used_tokens_has(admission->used, access->nonce) ? ADMISSION_USED : ADMISSION_ADMITTED;
}

// Reads the token and judges it; the bytes of `access` count where it is admitted.
static enum admission_verdict judge(const struct admission *admission, const uint8_t *token,
                                    size_t size, int64_t now_s, struct raim_access *access)
{
    const size_t signed_size = raim_access_read(token, size, access);
    if (signed_size == 0)
        return ADMISSION_MALFORMED;
    const enum admission_verdict verdict = judge_claims(admission, access, now_s);
    if (verdict != ADMISSION_ADMITTED)
        return verdict;
    const uint8_t *key = find_key(&admission->keys, access->key_id);
    return raim_crypto_is_signed(token, signed_size, token + signed_size, key) ? ADMISSION_ADMITTED
                                                                               : ADMISSION_FORGED;
}

enum admission_verdict admission_check(const struct admission *admission, const uint8_t *token,
                                       size_t size, int64_t now_s)
{
    struct raim_access access;
    return judge(admission, token, size, now_s, &access);
}

enum admission_verdict admission_judge(struct admission *admission, const uint8_t *token,
                                       size_t size, int64_t now_s, char name[ADMISSION_NAME_BYTES])
{
    struct raim_access access;
    const enum admission_verdict verdict = judge(admission, token, size, now_s, &access);
    if (verdict != ADMISSION_ADMITTED)
        return verdict;
    if (!used_tokens_add(admission->used, access.nonce, access.expiry, over_at(now_s)))
        return ADMISSION_CROWDED;
    if (access.name[0] != '\0')
        memcpy(name, access.name, ADMISSION_NAME_BYTES);
    return ADMISSION_ADMITTED;
}
