// SPDX-License-Identifier: MIT
// Two queues under a mutex that is held for moments: jobs to work, and jobs that are worked.
#define _GNU_SOURCE
#include "job_thread.h"

#include "loop.h"
#include "wakeup.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct queue {
    struct job *first, **end;
};

struct job_thread {
    const char *name;
    int policy;
    bool is_running; // main thread only
    struct loop_source *source;
    struct wakeup wakeup; // of the main thread, signalled after each job
    pthread_t thread;

    pthread_mutex_t lock; // guards what follows
    pthread_cond_t has_work;
    bool is_ending;   // as soon as the job under way is worked
    bool is_finished; // as soon as every job is
    struct queue waiting, worked;
};

static void push(struct queue *queue, struct job *job)
{
    job->next = NULL;
    *queue->end = job;
    queue->end = &job->next;
}

static struct job *pop(struct queue *queue)
{
    struct job *job = queue->first;
    if (job == NULL)
        return NULL;
    queue->first = job->next;
    if (queue->first == NULL)
        queue->end = &queue->first;
    return job;
}

// Works the next job, with the lock, which it gives up meanwhile. Returns false if there is none.
static bool work_next(struct job_thread *thread)
{
    struct job *job = pop(&thread->waiting);
    if (job == NULL)
        return false;
    pthread_mutex_unlock(&thread->lock);
    job->work(job);
    pthread_mutex_lock(&thread->lock);
    push(&thread->worked, job);
    return true;
}

static void *run(void *context)
{
    struct job_thread *thread = context;
    const struct sched_param none = {0};
    pthread_setname_np(pthread_self(), thread->name);
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, thread->policy, &none); // players' ticks come first
    pthread_mutex_lock(&thread->lock);
    while (!thread->is_ending) {
        if (work_next(thread))
            wakeup_signal(&thread->wakeup);
        else if (thread->is_finished)
            break;
        else
            pthread_cond_wait(&thread->has_work, &thread->lock);
    }
    pthread_mutex_unlock(&thread->lock);
    return NULL;
}

static struct job *take_worked(struct job_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    struct job *job = pop(&thread->worked);
    pthread_mutex_unlock(&thread->lock);
    return job;
}

static void end_jobs(void *context)
{
    struct job_thread *thread = context;
    wakeup_clear(&thread->wakeup);
    for (struct job *job; (job = take_worked(thread)) != NULL;)
        job->done(job);
}

struct job_thread *job_thread_create(struct loop *loop, const char *name, int policy)
{
    struct job_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    thread->name = name;
    thread->policy = policy;
    thread->waiting.end = &thread->waiting.first;
    thread->worked.end = &thread->worked.first;
    pthread_mutex_init(&thread->lock, NULL);
    pthread_cond_init(&thread->has_work, NULL);
    if (wakeup_open(&thread->wakeup))
        thread->source = loop_add_descriptor(loop, thread->wakeup.descriptor, end_jobs, thread);
    if (thread->source != NULL)
        return thread;
    job_thread_destroy(thread);
    return NULL;
}

// Ends the thread, which sets `flag`.
static void join(struct job_thread *thread, bool *flag)
{
    pthread_mutex_lock(&thread->lock);
    *flag = true;
    pthread_cond_signal(&thread->has_work);
    pthread_mutex_unlock(&thread->lock);
    if (thread->is_running)
        pthread_join(thread->thread, NULL);
    thread->is_running = false;
}

void job_thread_destroy(struct job_thread *thread)
{
    if (thread == NULL)
        return;
    join(thread, &thread->is_ending);
    loop_remove(thread->source);
    wakeup_close(&thread->wakeup);
    pthread_cond_destroy(&thread->has_work);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
}

bool job_thread_start(struct job_thread *thread)
{
    if (thread->is_running)
        return true;
    errno = pthread_create(&thread->thread, NULL, run, thread);
    thread->is_running = errno == 0;
    return thread->is_running;
}

void job_thread_post(struct job_thread *thread, struct job *job)
{
    pthread_mutex_lock(&thread->lock);
    push(&thread->waiting, job);
    pthread_cond_signal(&thread->has_work);
    pthread_mutex_unlock(&thread->lock);
}

void job_thread_finish(struct job_thread *thread)
{
    join(thread, &thread->is_finished);
    pthread_mutex_lock(&thread->lock);
    while (work_next(thread))
        continue;
    pthread_mutex_unlock(&thread->lock);
    end_jobs(thread);
}
