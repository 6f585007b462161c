// SPDX-License-Identifier: MIT
// The mailbox between two threads that use it at the same time.
#include "mailbox.h"
#include "test.h"
#include "wakeup.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { CAPACITY = 8, WORDS = 16, MESSAGES = 100000 };

struct message {
    uint32_t words[WORDS];
};

TEST(letters_come_back_answered_in_order)
{
    struct mailbox mailbox;
    assert_true(mailbox_create(&mailbox, CAPACITY, sizeof(struct message)));
    assert_null(mailbox_peek(&mailbox));
    assert_null(mailbox_completed(&mailbox));
    for (uint32_t i = 0; i < 3; i++) {
        ((struct message *)mailbox_reserve(&mailbox))->words[0] = i;
        mailbox_submit(&mailbox);
    }
    assert_null(mailbox_completed(&mailbox));
    for (uint32_t i = 0; i < 3; i++) {
        struct message *message = mailbox_peek(&mailbox);
        assert_int_equal(message->words[0], i);
        message->words[1] = 10 * i;
        mailbox_complete(&mailbox);
        const struct message *answer = mailbox_completed(&mailbox);
        assert_int_equal(answer->words[0], i);
        assert_int_equal(answer->words[1], 10 * i);
        mailbox_release(&mailbox);
    }
    assert_null(mailbox_peek(&mailbox));
    assert_null(mailbox_completed(&mailbox));
    mailbox_destroy(&mailbox);
}

TEST(a_full_mailbox_has_arena_again_when_an_answer_is_forgotten)
{
    struct mailbox mailbox;
    assert_true(mailbox_create(&mailbox, CAPACITY, sizeof(struct message)));
    for (int i = 0; i < CAPACITY; i++) {
        assert_non_null(mailbox_reserve(&mailbox));
        mailbox_submit(&mailbox);
    }
    assert_null(mailbox_reserve(&mailbox));
    assert_non_null(mailbox_peek(&mailbox));
    mailbox_complete(&mailbox);
    assert_null(mailbox_reserve(&mailbox)); // the reply is not released yet
    assert_non_null(mailbox_completed(&mailbox));
    mailbox_release(&mailbox);
    assert_non_null(mailbox_reserve(&mailbox));
    mailbox_destroy(&mailbox);
}

static void *answer_all(void *argument)
{
    struct mailbox *mailbox = argument;
    for (uint32_t number = 0; number < MESSAGES;) {
        struct message *message = mailbox_peek(mailbox);
        if (message == NULL) {
            sched_yield();
            continue;
        }
        for (int i = 0; i < WORDS; i++)
            message->words[i] = message->words[i] == number ? ~number : 0;
        mailbox_complete(mailbox);
        number++;
    }
    return NULL;
}

TEST(two_threads_lose_and_tear_no_letter)
{
    struct mailbox mailbox;
    pthread_t owner;
    assert_true(mailbox_create(&mailbox, CAPACITY, sizeof(struct message)));
    assert_int_equal(pthread_create(&owner, NULL, answer_all, &mailbox), 0);
    uint32_t submitted = 0, released = 0;
    while (released < MESSAGES) {
        struct message *blank = submitted < MESSAGES ? mailbox_reserve(&mailbox) : NULL;
        if (blank != NULL) {
            for (int i = 0; i < WORDS; i++)
                blank->words[i] = submitted;
            mailbox_submit(&mailbox);
            submitted++;
        }
        const struct message *answer = mailbox_completed(&mailbox);
        if (answer != NULL) {
            for (int i = 0; i < WORDS; i++)
                assert_int_equal(answer->words[i], ~released);
            mailbox_release(&mailbox);
            released++;
        }
        if (blank == NULL && answer == NULL)
            sched_yield();
    }
    pthread_join(owner, NULL);
    mailbox_destroy(&mailbox);
}

// --- Wakeup ---

// A thread that waits for a wakeup, and threads that signal it.

enum { WAKERS = 4, ROUNDS = 20000, DEADLINE_MS = 10000 };

static bool is_readable(const struct wakeup *wakeup, int timeout_ms)
{
    struct pollfd set = {.fd = wakeup->descriptor, .events = POLLIN};
    return poll(&set, 1, timeout_ms) == 1;
}

TEST(signals_are_seen_once)
{
    struct wakeup wakeup;
    assert_true(wakeup_open(&wakeup));
    assert_false(is_readable(&wakeup, 0));
    assert_false(wakeup_clear(&wakeup));
    wakeup_signal(&wakeup);
    wakeup_signal(&wakeup);
    assert_true(is_readable(&wakeup, 0));
    assert_true(wakeup_clear(&wakeup));
    assert_false(is_readable(&wakeup, 0));
    assert_false(wakeup_clear(&wakeup));
    wakeup_close(&wakeup);
    assert_int_equal(wakeup.descriptor, -1);
    wakeup_close(&wakeup);
}

struct job {
    struct wakeup wakeup;
    _Atomic unsigned done;
};

static void *work(void *context)
{
    struct job *job = context;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&job->done, 1);
        wakeup_signal(&job->wakeup);
    }
    return NULL;
}

// A thread that clears the wakeup before it checks for work misses no work.
TEST(nothing_is_slept_through)
{
    struct job job = {.done = 0};
    pthread_t wakers[WAKERS];
    assert_true(wakeup_open(&job.wakeup));
    for (int i = 0; i < WAKERS; i++)
        assert_int_equal(pthread_create(&wakers[i], NULL, work, &job), 0);
    for (unsigned seen = 0; seen < WAKERS * ROUNDS; seen = atomic_load(&job.done)) {
        assert_true(is_readable(&job.wakeup, DEADLINE_MS));
        assert_true(wakeup_clear(&job.wakeup));
    }
    for (int i = 0; i < WAKERS; i++)
        pthread_join(wakers[i], NULL);
    wakeup_close(&job.wakeup);
}
