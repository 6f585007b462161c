// SPDX-License-Identifier: MIT
// Verifies access tokens: the cheap checks first, the Ed25519 signature last.
#include "access_control.h"

#include "access.h"
#include "crypto.h"
#include "used_tokens.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(ACCESS_CONTROL_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES, "a key of Ed25519");
static_assert(RAIM_ACCESS_SIGNATURE_BYTES == RAIM_CRYPTO_SIGNATURE_BYTES, "Ed25519");

struct access_control {
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    struct access_control_keys keys;
    struct used_tokens *used;          // NULL: uses cannot be recorded
    access_control_may_join *may_join; // NULL: every slot is free to everybody
    void *may_join_context;
};

// The key that begins with these bytes; NULL if there is none.
static const uint8_t *find_key(const struct access_control_keys *keys,
                               const uint8_t id[RAIM_ACCESS_KEY_ID_BYTES])
{
    for (int i = 0; i < keys->count; i++)
        if (memcmp(keys->keys[i], id, RAIM_ACCESS_KEY_ID_BYTES) == 0)
            return keys->keys[i];
    return NULL;
}

bool access_control_read_keys(const char *text, struct access_control_keys *keys)
{
    for (keys->count = 0; keys->count < ACCESS_CONTROL_MAX_KEYS; text++) {
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

struct access_control *access_control_create(const struct access_control_def *def)
{
    assert(def->keys->count >= 1 && def->keys->count <= ACCESS_CONTROL_MAX_KEYS);
    struct access_control *control = raim_crypto_init() ? calloc(1, sizeof *control) : NULL;
    if (control == NULL)
        return NULL;
    access_control_set_arena(control, def->arena);
    control->keys = *def->keys;
    control->used = def->used;
    return control;
}

void access_control_set_arena(struct access_control *control, const char *arena)
{
    assert(strlen(arena) < sizeof control->arena);
    strcpy(control->arena, arena);
}

void access_control_reserve(struct access_control *control, access_control_may_join *may_join,
                            void *context)
{
    control->may_join = may_join;
    control->may_join_context = context;
}

void access_control_stop_recording(struct access_control *control)
{
    control->used = NULL;
}

void access_control_destroy(struct access_control *control)
{
    free(control);
}

// A token that expires at this time or earlier is no longer valid.
static uint64_t latest_expired(int64_t now_s)
{
    return now_s > ACCESS_CONTROL_SKEW_S ? (uint64_t)(now_s - ACCESS_CONTROL_SKEW_S) : 0;
}

// A token whose validity begins at this time or earlier has become valid.
static uint64_t latest_begun(uint64_t now_s)
{
    return now_s < UINT64_MAX - ACCESS_CONTROL_SKEW_S ? now_s + ACCESS_CONTROL_SKEW_S : UINT64_MAX;
}

// The checks that need no signature.
static enum access_control_verdict judge_claims(const struct access_control *control,
                                                const struct raim_access *access, int64_t now_s)
{
    if (strcmp(access->arena, control->arena) != 0)
        return ACCESS_CONTROL_OTHER_ARENA;
    if (access->not_before > latest_begun(now_s > 0 ? (uint64_t)now_s : 0))
        return ACCESS_CONTROL_NOT_YET_VALID;
    if (access->expiry <= latest_expired(now_s) || access->expiry <= access->not_before)
        return ACCESS_CONTROL_EXPIRED;
    if (access->expiry - access->not_before > ACCESS_CONTROL_MAX_LIFETIME_S)
        return ACCESS_CONTROL_LIVES_TOO_LONG;
    if (find_key(&control->keys, access->key_id) == NULL)
        return ACCESS_CONTROL_UNKNOWN_KEY;
    if (control->used == NULL)
        return ACCESS_CONTROL_UNRECORDED;
    const uint64_t unknown_until_s = used_tokens_unknown_until(control->used, now_s);
    if (access->expiry <= used_tokens_forgotten_until(control->used) ||
        (unknown_until_s > 0 && access->not_before <= latest_begun(unknown_until_s)))
        return ACCESS_CONTROL_UNRECORDED;
    // A replayed token is rejected before its signature is verified.
    return used_tokens_has(control->used, access->nonce) ? ACCESS_CONTROL_USED
                                                         : ACCESS_CONTROL_ADMITTED;
}

// Parses and verifies a token. `access` is valid when the result is ADMITTED.
static enum access_control_verdict judge(const struct access_control *control, const uint8_t *token,
                                         size_t size, int64_t now_s, struct raim_access *access)
{
    const size_t signed_size = raim_access_read(token, size, access);
    if (signed_size == 0)
        return ACCESS_CONTROL_MALFORMED;
    const enum access_control_verdict verdict = judge_claims(control, access, now_s);
    if (verdict != ACCESS_CONTROL_ADMITTED)
        return verdict;
    const uint8_t *key = find_key(&control->keys, access->key_id);
    return raim_crypto_verify_signature(token, signed_size, token + signed_size, key)
               ? ACCESS_CONTROL_ADMITTED
               : ACCESS_CONTROL_BAD_SIGNATURE;
}

enum access_control_verdict access_control_check(const struct access_control *control,
                                                 const uint8_t *token, size_t size, int64_t now_s)
{
    struct raim_access access;
    return judge(control, token, size, now_s, &access);
}

enum access_control_verdict access_control_admit(struct access_control *control,
                                                 const uint8_t *token, size_t size, int64_t now_s,
                                                 bool watches, char name[RAIM_MAX_NAME_BYTES + 1])
{
    struct raim_access access;
    const enum access_control_verdict verdict = judge(control, token, size, now_s, &access);
    if (verdict != ACCESS_CONTROL_ADMITTED)
        return verdict;
    if (!watches && control->may_join != NULL &&
        !control->may_join(control->may_join_context, access.name))
        return ACCESS_CONTROL_RESERVED;
    if (!used_tokens_add(control->used, access.nonce, access.expiry, latest_expired(now_s)))
        return ACCESS_CONTROL_FULL;
    if (access.name[0] != '\0')
        memcpy(name, access.name, RAIM_MAX_NAME_BYTES + 1);
    return ACCESS_CONTROL_ADMITTED;
}
