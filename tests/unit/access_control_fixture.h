// SPDX-License-Identifier: MIT
// Access control of arena "duel" with a signer of its own, tokens for it, and a simulated clock.
#pragma once

#include "access.h"
#include "access_control.h"
#include "test.h"
#include "used_tokens_file.h"

#include <sodium.h>

enum { NOW = 1800000000, LIFE = 600 };

struct signer {
    uint8_t secret[crypto_sign_SECRETKEYBYTES];
    uint8_t shown[ACCESS_CONTROL_KEY_BYTES];
};

static struct signer matchmaker, impostor;
static struct access_control *admission;
static char name[RAIM_MAX_NAME_BYTES + 1];
static char error[4096 + 128]; // of the last open_admission or rename_admission

// The files of the admissions that are open.
static struct {
    struct access_control *admission;
    struct used_tokens_file *file;
    struct store *store;
} opened[64];

static inline struct signer make_signer(uint8_t seed)
{
    uint8_t seeds[crypto_sign_SEEDBYTES];
    memset(seeds, seed, sizeof seeds);
    struct signer signer;
    crypto_sign_seed_keypair(signer.shown, signer.secret, seeds);
    return signer;
}

// Writes the mark. Returns whether another arena has left one of this name.
static inline bool mark(size_t i, const char *arena)
{
    const bool is_known = used_tokens_file_mark(opened[i].file, arena);
    used_tokens_file_note_sync(opened[i].file, store_sync(opened[i].store));
    store_flush(opened[i].store);
    return is_known;
}

static inline struct access_control *open_admission(const char *arena, const char *runtime,
                                                    const char *directory, int64_t now_s)
{
    struct access_control_keys keys = {.count = 2};
    memset(keys.keys[0], 7, sizeof keys.keys[0]);
    memcpy(keys.keys[1], matchmaker.shown, sizeof keys.keys[1]);
    const struct used_tokens_file_def files = {
        .name = arena, .runtime = runtime, .store = store_create(directory), .now_s = now_s};
    size_t i = 0;
    while (opened[i].admission != NULL)
        i++;
    opened[i].store = files.store;
    opened[i].file = used_tokens_file_open(&files, error, sizeof error);
    if (opened[i].file != NULL)
        mark(i, arena);
    if (opened[i].file != NULL && used_tokens_file_marked(opened[i].file) != STORE_WRITTEN) {
        snprintf(error, sizeof error, "the mark cannot be written");
        used_tokens_file_leave(opened[i].file);
        used_tokens_file_close(opened[i].file);
        opened[i].file = NULL;
    }
    const struct access_control_def def = {
        .arena = arena,
        .keys = &keys,
        .used = opened[i].file != NULL ? used_tokens_file_table(opened[i].file) : NULL};
    opened[i].admission = access_control_create(&def);
    return opened[i].admission;
}

static inline size_t index_of(const struct access_control *of)
{
    size_t i = 0;
    while (opened[i].admission != of)
        i++;
    return i;
}

static inline void close_admission(struct access_control *of)
{
    if (of == NULL)
        return;
    const size_t i = index_of(of);
    used_tokens_file_close(opened[i].file);
    store_close(opened[i].store);
    opened[i].admission = NULL;
    access_control_destroy(of);
}

static inline void rename_admission(struct access_control *of, const char *arena, int64_t now_s)
{
    const size_t i = index_of(of);
    error[0] = '\0';
    access_control_set_arena(of, arena);
    if (opened[i].file == NULL)
        return;
    const bool is_known = mark(i, arena);
    if (!used_tokens_file_rename(opened[i].file, arena, is_known, now_s, error, sizeof error))
        access_control_stop_recording(of);
}

static inline void set_up(void)
{
    assert_true(sodium_init() >= 0);
    matchmaker = make_signer(1);
    impostor = make_signer(2);
    admission = open_admission("duel", NULL, NULL, NOW);
    strcpy(name, "chosen");
    assert_non_null(admission);
}

static inline void tear_down(void)
{
    close_admission(admission);
}

TEST_EACH(set_up, tear_down)

struct token {
    uint8_t bytes[RAIM_ACCESS_BYTES];
    size_t size;
};

static inline struct token sign(const struct raim_access *access, const struct signer *signer)
{
    struct token token;
    const size_t size = raim_access_write(access, token.bytes);
    crypto_sign_detached(token.bytes + size, NULL, token.bytes, size, signer->secret);
    token.size = size + RAIM_ACCESS_SIGNATURE_BYTES;
    return token;
}

static inline struct raim_access usual(void)
{
    static uint64_t number;
    struct raim_access access = {.not_before = NOW, .expiry = NOW + LIFE, .arena = "duel"};
    number++;
    memcpy(access.key_id, matchmaker.shown, sizeof access.key_id);
    memcpy(access.nonce, &number, sizeof number);
    return access;
}

static inline struct token usual_token(void)
{
    const struct raim_access access = usual();
    return sign(&access, &matchmaker);
}

// Checks the token first, which must not use it up.
static inline enum access_control_verdict judge(const struct token *token, int64_t now_s)
{
    const enum access_control_verdict checked =
        access_control_check(admission, token->bytes, token->size, now_s);
    const enum access_control_verdict verdict =
        access_control_admit(admission, token->bytes, token->size, now_s, false, name);
    if (verdict != ACCESS_CONTROL_FULL)
        assert_int_equal(checked, verdict);
    return verdict;
}
