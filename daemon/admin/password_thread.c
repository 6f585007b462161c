// SPDX-License-Identifier: MIT
// A job for each password.
#define _GNU_SOURCE
#include "password_thread.h"

#include "crypto.h"
#include "job_thread.h"

#include <sched.h>
#include <string.h>

struct check {
    struct job job; // first
    password_thread_done *done;
    void *context;
    uint32_t number; // 0: free
    bool has_password, is_right;
    struct password password;
    char plain[PASSWORD_MAX_BYTES + 1];
};

struct password_thread {
    struct job_thread *jobs;
    uint32_t next_number;
    struct check checks[PASSWORD_THREAD_WAITING];
};

struct password_thread *password_thread_create(struct loop *loop)
{
    struct password_thread *thread = raim_crypto_allocate(sizeof *thread);
    if (thread == NULL)
        return NULL;
    // Strangers' guesses get only idle processor time.
    thread->jobs = job_thread_create(loop, "raimd-password", SCHED_IDLE);
    if (thread->jobs != NULL)
        return thread;
    password_thread_destroy(thread);
    return NULL;
}

void password_thread_destroy(struct password_thread *thread)
{
    if (thread == NULL)
        return;
    job_thread_destroy(thread->jobs);
    raim_crypto_free(thread); // with the passwords that wait
}

static void verify(struct job *job)
{
    static const struct password nobodys = {.salt = {0}};
    struct check *check = (struct check *)job;
    check->is_right =
        password_check_plain(check->has_password ? &check->password : &nobodys, check->plain) &&
        check->has_password;
    raim_crypto_wipe(check->plain, sizeof check->plain);
}

static void end_check(struct job *job)
{
    struct check *check = (struct check *)job;
    const uint32_t number = check->number;
    check->number = 0;
    check->done(check->context, number, check->is_right);
}

uint32_t password_thread_check(struct password_thread *thread, const struct password *password,
                               const char *plain, password_thread_done *done, void *context)
{
    struct check *check = thread->checks, *const end = check + PASSWORD_THREAD_WAITING;
    while (check < end && check->number != 0)
        check++;
    if (check == end || strlen(plain) > PASSWORD_MAX_BYTES || !job_thread_start(thread->jobs))
        return 0;
    thread->next_number += thread->next_number == UINT32_MAX ? 2 : 1; // 0 is no number
    *check = (struct check){.job = {.work = verify, .done = end_check},
                            .done = done,
                            .context = context,
                            .number = thread->next_number,
                            .has_password = password != NULL};
    if (password != NULL)
        check->password = *password;
    strcpy(check->plain, plain);
    job_thread_post(thread->jobs, &check->job);
    return check->number;
}
