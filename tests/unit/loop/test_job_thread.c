// SPDX-License-Identifier: MIT
// Jobs are worked by a thread in their order, and end in the main thread.
#define _GNU_SOURCE
#include "job_thread.h"
#include "loop.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>

enum { SLOW_MS = 10000, JOBS = 20 };

struct sum {
    struct job job; // first
    int number;
    pthread_t worker;
    bool is_worked;
};

static struct loop *loop;
static struct job_thread *thread;
static int ended[JOBS], ended_count;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; // a job waits for it
static _Atomic int begun;

static void work(struct job *job)
{
    struct sum *sum = (struct sum *)job;
    begun++;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    sum->worker = pthread_self();
    sum->is_worked = true;
}

static void done(struct job *job)
{
    const struct sum *sum = (const struct sum *)job;
    assert_true(sum->is_worked);
    ended[ended_count++] = sum->number;
}

static int begin(void **state)
{
    (void)state;
    ended_count = 0;
    begun = 0;
    loop = loop_create();
    thread = job_thread_create(loop, "test", SCHED_BATCH);
    return thread == NULL;
}

static int end(void **state)
{
    (void)state;
    job_thread_destroy(thread);
    loop_destroy(loop);
    return 0;
}

static void post(struct sum sums[JOBS])
{
    for (int i = 0; i < JOBS; i++) {
        sums[i] = (struct sum){.job = {.work = work, .done = done}, .number = i};
        job_thread_post(thread, &sums[i].job);
    }
}

static void assert_ended_in_order(void)
{
    assert_int_equal(ended_count, JOBS);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(ended[i], i);
}

TEST(jobs_are_worked_elsewhere_and_end_here_in_their_order, begin, end)
{
    struct sum sums[JOBS];
    assert_true(job_thread_start(thread) && job_thread_start(thread));
    post(sums);
    while (ended_count < JOBS)
        assert_true(loop_wait(loop, SLOW_MS));
    assert_ended_in_order();
    assert_false(pthread_equal(sums[0].worker, pthread_self()));
}

TEST(a_finished_thread_has_done_every_job, begin, end)
{
    struct sum sums[JOBS];
    post(sums);
    assert_true(job_thread_start(thread));
    job_thread_finish(thread);
    assert_ended_in_order();
}

TEST(without_a_thread_the_caller_finishes_the_jobs, begin, end)
{
    struct sum sums[JOBS];
    post(sums);
    assert_false(loop_wait(loop, 0));
    job_thread_finish(thread);
    assert_ended_in_order();
    assert_true(pthread_equal(sums[0].worker, pthread_self()));
}

TEST(a_destroyed_thread_ends_the_job_under_way_alone, begin, end)
{
    struct sum sums[JOBS];
    pthread_mutex_lock(&gate);
    assert_true(job_thread_start(thread));
    post(sums);
    while (begun == 0)
        sched_yield();
    pthread_mutex_unlock(&gate);
    job_thread_destroy(thread);
    thread = NULL;
    assert_true(sums[0].is_worked);
    assert_int_equal(ended_count, 0);
}
