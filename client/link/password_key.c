// SPDX-License-Identifier: MIT
// The thread and the password key share a job; the last one to finish with it frees it.
#include "password_key.h"

#include "crypto.h"
#include "system.h"
#include "wire_limits.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static_assert(RAIM_PASSWORD_SALT_BYTES == RAIM_CRYPTO_SALT_BYTES &&
                  RAIM_PASSWORD_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES,
              "the wire and Argon2id");

// What the process has derived last.
struct derived {
    char plain[RAIM_PASSWORD_BYTES + 1]; // "": nothing
    uint8_t salt[RAIM_PASSWORD_SALT_BYTES], key[RAIM_PASSWORD_KEY_BYTES];
};

struct job {
    bool is_done, is_abandoned, has_failed; // guarded by the mutex `quick`
    struct derived derived;
};

struct raim_password_key {
    struct job *job; // NULL: none was begun
    char plain[RAIM_PASSWORD_BYTES + 1];
};

// The process's: `deriving` is held for as long as a derivation takes, `quick` for moments.
static struct {
    struct raim_mutex *deriving, *quick;
    uint32_t users;          // password keys and threads; guarded by `quick`
    struct derived *derived; // guarded by `deriving`; made and freed while there is no job
} process;

// Makes the mutexes unless they exist. They stay. Returns false when memory runs out.
static bool prepare_process(void)
{
    enum { NEW, PREPARING, DONE };
    static atomic_int state = NEW;
    int expected = NEW;
    while (!atomic_compare_exchange_weak(&state, &expected, PREPARING)) {
        if (expected == DONE)
            return true;
        expected = NEW; // another thread is between two calls of malloc
    }
    process.deriving = raim_system_create_mutex();
    process.quick = raim_system_create_mutex();
    const bool good = process.deriving != NULL && process.quick != NULL;
    if (!good) {
        raim_system_destroy_mutex(process.deriving);
        raim_system_destroy_mutex(process.quick);
    }
    atomic_store(&state, good ? DONE : NEW);
    return good;
}

static bool begin_use(void)
{
    raim_system_lock(process.quick);
    if (process.users == 0)
        process.derived = raim_crypto_allocate(sizeof *process.derived);
    const bool good = process.derived != NULL;
    process.users += good;
    raim_system_unlock(process.quick);
    return good;
}

static void end_use(void)
{
    raim_system_lock(process.quick);
    if (--process.users == 0) {
        raim_crypto_free(process.derived);
        process.derived = NULL;
    }
    raim_system_unlock(process.quick);
}

struct raim_password_key *raim_password_key_create(const char *plain)
{
    const size_t size = strlen(plain);
    if (size == 0 || size > RAIM_PASSWORD_BYTES || !raim_crypto_init() || !prepare_process())
        return NULL;
    struct raim_password_key *password = raim_crypto_allocate(sizeof *password);
    if (password == NULL || !begin_use()) {
        raim_crypto_free(password);
        return NULL;
    }
    memcpy(password->plain, plain, size + 1);
    return password;
}

static void abandon_job(struct job *job)
{
    raim_system_lock(process.quick);
    const bool is_done = job->is_done;
    job->is_abandoned = true;
    raim_system_unlock(process.quick);
    if (is_done)
        raim_crypto_free(job);
}

void raim_password_key_destroy(struct raim_password_key *password)
{
    if (password == NULL)
        return;
    if (password->job != NULL)
        abandon_job(password->job);
    raim_crypto_free(password);
    end_use();
}

// Derives the key, or copies it from an earlier derivation.
static bool derive(struct derived *wanted)
{
    bool good = true;
    raim_system_lock(process.deriving);
    struct derived *last = process.derived;
    if (strcmp(last->plain, wanted->plain) != 0 ||
        memcmp(last->salt, wanted->salt, sizeof last->salt) != 0) {
        good = raim_crypto_derive_password_key(wanted->plain, wanted->salt, wanted->key);
        if (good)
            *last = *wanted;
    }
    if (good)
        memcpy(wanted->key, last->key, sizeof wanted->key);
    raim_system_unlock(process.deriving);
    return good;
}

static void run(void *context)
{
    struct job *job = context;
    const bool good = derive(&job->derived);
    raim_system_lock(process.quick);
    job->is_done = true;
    job->has_failed = !good;
    const bool is_abandoned = job->is_abandoned;
    raim_system_unlock(process.quick);
    if (is_abandoned)
        raim_crypto_free(job);
    end_use();
}

// Begins a job in place of another one for another salt.
static bool begin_job(struct raim_password_key *password, const uint8_t *salt)
{
    if (password->job != NULL)
        abandon_job(password->job);
    struct job *job = password->job = raim_crypto_allocate(sizeof *job);
    if (job == NULL)
        return false;
    memcpy(job->derived.plain, password->plain, sizeof job->derived.plain);
    memcpy(job->derived.salt, salt, sizeof job->derived.salt);
    if (begin_use()) {
        if (raim_system_start_detached_thread(run, job))
            return true;
        end_use();
    }
    raim_crypto_free(job);
    password->job = NULL;
    return false;
}

enum raim_password_key_state raim_password_key_get(struct raim_password_key *password,
                                                   const uint8_t *salt, uint8_t *key)
{
    if ((password->job == NULL ||
         memcmp(password->job->derived.salt, salt, RAIM_PASSWORD_SALT_BYTES) != 0) &&
        !begin_job(password, salt))
        return RAIM_PASSWORD_KEY_FAILED;
    struct job *job = password->job;
    raim_system_lock(process.quick);
    const bool is_done = job->is_done, has_failed = job->has_failed;
    raim_system_unlock(process.quick);
    if (!is_done)
        return RAIM_PASSWORD_KEY_DERIVING;
    if (has_failed) {
        raim_crypto_free(job);
        password->job = NULL;
        return RAIM_PASSWORD_KEY_FAILED;
    }
    memcpy(key, job->derived.key, RAIM_PASSWORD_KEY_BYTES);
    return RAIM_PASSWORD_KEY_READY;
}
