// SPDX-License-Identifier: MIT
// Verifies passwords in order, under a mutex that is held for moments.
#define _GNU_SOURCE
#include "password_thread.h"

#include "crypto.h"
#include "loop.h"
#include "wakeup.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct check {
    uint32_t number;
    bool has_password, is_right;
    struct password password;
    char plain[PASSWORD_MAX_BYTES + 1];
};

// Orders are a ring: first those that are done, then those that wait.
struct password_thread {
    struct wakeup wakeup; // of the main thread, signalled after each check
    pthread_t thread;

    // Main thread only.
    struct loop_source *outcomes;
    void (*done_check)(void *context, uint32_t number, bool is_right);
    void *context;
    bool is_running;
    uint32_t next_number;

    pthread_mutex_t lock; // guards what follows
    pthread_cond_t has_work;
    bool is_ending;
    uint32_t first, count, done; // of the ring
    struct check checks[PASSWORD_THREAD_WAITING];
};

static void take_outcomes(void *context);

struct password_thread *
password_thread_create(struct loop *loop,
                       void (*done)(void *context, uint32_t number, bool is_right), void *context)
{
    struct password_thread *thread = raim_crypto_allocate(sizeof *thread);
    if (thread == NULL)
        return NULL;
    thread->done_check = done;
    thread->context = context;
    pthread_mutex_init(&thread->lock, NULL);
    pthread_cond_init(&thread->has_work, NULL);
    if (wakeup_open(&thread->wakeup))
        thread->outcomes =
            loop_add_descriptor(loop, thread->wakeup.descriptor, take_outcomes, thread);
    if (thread->outcomes != NULL)
        return thread;
    password_thread_destroy(thread);
    return NULL;
}

void password_thread_destroy(struct password_thread *thread)
{
    if (thread == NULL)
        return;
    pthread_mutex_lock(&thread->lock);
    thread->is_ending = true;
    pthread_cond_signal(&thread->has_work);
    pthread_mutex_unlock(&thread->lock);
    if (thread->is_running)
        pthread_join(thread->thread, NULL);
    loop_remove(thread->outcomes);
    wakeup_close(&thread->wakeup);
    pthread_cond_destroy(&thread->has_work);
    pthread_mutex_destroy(&thread->lock);
    raim_crypto_free(thread); // with the passwords that wait
}

// Verifies one without the lock. Its place in the ring stays until it is taken.
static void verify(struct password_thread *thread, struct check *check)
{
    static const struct password nobodys = {.salt = {0}};
    pthread_mutex_unlock(&thread->lock);
    const bool is_right =
        password_check_plain(check->has_password ? &check->password : &nobodys, check->plain) &&
        check->has_password;
    raim_crypto_wipe(check->plain, sizeof check->plain);
    pthread_mutex_lock(&thread->lock);
    check->is_right = is_right;
    thread->done++;
}

static void *run(void *context)
{
    struct password_thread *thread = context;
    const struct sched_param none = {0};
    pthread_setname_np(pthread_self(), "raimd-password");
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_IDLE, &none); // strangers' guesses take what nobody else wants
    pthread_mutex_lock(&thread->lock);
    while (!thread->is_ending) {
        if (thread->done == thread->count) {
            pthread_cond_wait(&thread->has_work, &thread->lock);
            continue;
        }
        verify(thread, &thread->checks[(thread->first + thread->done) % PASSWORD_THREAD_WAITING]);
        wakeup_signal(&thread->wakeup);
    }
    pthread_mutex_unlock(&thread->lock);
    return NULL;
}

static bool start(struct password_thread *thread)
{
    thread->is_running = pthread_create(&thread->thread, NULL, run, thread) == 0;
    return thread->is_running;
}

uint32_t password_thread_check(struct password_thread *thread, const struct password *password,
                               const char *plain)
{
    uint32_t number = 0;
    if (strlen(plain) > PASSWORD_MAX_BYTES || (!thread->is_running && !start(thread)))
        return 0;
    pthread_mutex_lock(&thread->lock);
    if (thread->count < PASSWORD_THREAD_WAITING) {
        struct check *check =
            &thread->checks[(thread->first + thread->count++) % PASSWORD_THREAD_WAITING];
        thread->next_number += thread->next_number == UINT32_MAX ? 2 : 1; // 0 is no number
        number = thread->next_number;
        *check = (struct check){.number = number, .has_password = password != NULL};
        if (password != NULL)
            check->password = *password;
        strcpy(check->plain, plain);
        pthread_cond_signal(&thread->has_work);
    }
    pthread_mutex_unlock(&thread->lock);
    return number;
}

static bool take(struct password_thread *thread, uint32_t *number, bool *is_right)
{
    pthread_mutex_lock(&thread->lock);
    const bool any = thread->done > 0;
    if (any) {
        *number = thread->checks[thread->first].number;
        *is_right = thread->checks[thread->first].is_right;
        thread->first = (thread->first + 1) % PASSWORD_THREAD_WAITING;
        thread->count--;
        thread->done--;
    }
    pthread_mutex_unlock(&thread->lock);
    return any;
}

static void take_outcomes(void *context)
{
    struct password_thread *thread = context;
    uint32_t number;
    bool is_right;
    wakeup_clear(&thread->wakeup);
    while (take(thread, &number, &is_right))
        thread->done_check(thread->context, number, is_right);
}
