// SPDX-License-Identifier: MIT
// The stack of prepared matches between two threads, and what a tuning inherits.
#include "prepared_match.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>

enum { MATCHES = 10000 };

TEST(matches_are_taken_in_the_order_they_were_pushed)
{
    struct prepared_match_stack stack = {NULL};
    struct prepared_match matches[3] = {0};
    assert_null(prepared_match_take(&stack));
    for (int i = 0; i < 3; i++)
        prepared_match_push(&stack, &matches[i]);
    assert_ptr_equal(prepared_match_take(&stack), &matches[0]);
    assert_ptr_equal(matches[0].next, &matches[1]);
    assert_ptr_equal(matches[1].next, &matches[2]);
    assert_null(matches[2].next);
    assert_null(prepared_match_take(&stack));
}

struct handoff {
    struct prepared_match_stack stack;
    struct prepared_match matches[MATCHES];
};

static void *push_all(void *argument)
{
    struct handoff *handoff = argument;
    for (int i = 0; i < MATCHES; i++) {
        handoff->matches[i].map.index = i;
        prepared_match_push(&handoff->stack, &handoff->matches[i]);
    }
    return NULL;
}

TEST(two_threads_lose_and_tear_no_match)
{
    static struct handoff handoff;
    pthread_t pusher;
    assert_int_equal(pthread_create(&pusher, NULL, push_all, &handoff), 0);
    for (int taken = 0; taken < MATCHES;) {
        struct prepared_match *prepared = prepared_match_take(&handoff.stack);
        if (prepared == NULL)
            sched_yield();
        for (; prepared != NULL; prepared = prepared->next)
            assert_int_equal(prepared->map.index, taken++);
    }
    pthread_join(pusher, NULL);
}

TEST(a_tuning_without_a_match_takes_over_all_but_what_is_tuned)
{
    struct raim_match *match = (struct raim_match *)&state; // never dereferenced
    struct prepared_match before = {
        .config = {.name = "old",
                   .match = {.bots = 3, .tuning = {.max_players = 4, .round_s = 60, .motd = "a"}}},
        .match = match,
        .map = {.index = 2, .path = "/maps/a.conf"},
    };
    struct prepared_match tuned = {
        .config = {.name = "new",
                   .match = {.bots = 9, .tuning = {.max_players = 2, .motd = "b"}},
                   .queries = true},
        .at_once = true,
    };
    prepared_match_inherit(&tuned, &before);
    assert_string_equal(tuned.config.name, "new");
    assert_int_equal(tuned.config.match.bots, 3);
    assert_int_equal(tuned.config.match.tuning.max_players, 2);
    assert_true(tuned.config.queries);
    assert_true(tuned.config.match.tuning.round_s <= 0);
    assert_ptr_equal(tuned.match, match);
    assert_null(before.match);
    assert_int_equal(tuned.map.index, 2);
    assert_string_equal(tuned.map.path, "/maps/a.conf");
    assert_string_equal(tuned.config.match.tuning.motd, "b");
}
