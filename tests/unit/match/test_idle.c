// SPDX-License-Identifier: MIT
// Idle players are evicted for newcomers while the match is full, and only then.
#include "peer_fixture.h"

enum { IDLE_TICKS = 60, CLIENT_SLOTS = 3 };

static struct raim_match_def idle_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_players = CLIENT_SLOTS;
    def.tuning.idle_timeout_s = IDLE_TICKS / 60.0;
    def.tuning.resume_grace_s = 2;
    return def;
}

// A full match, in which every client is idle from the start on.
static struct test_match *open_full(struct raim_match_def def)
{
    struct test_match *test = open_test_match(def);
    for (uint32_t i = 0; i < def.tuning.max_players; i++)
        play(test, i)->is_idle = true;
    ticks(test, 5);
    return test;
}

static void assert_evicted(const struct test_match *test, uint32_t handle)
{
    assert_goodbye(&test->peers[handle], RAIM_REASON_IDLE, NULL);
    assert_true(test->peers[handle].goodbye.text[0] != '\0');
}

TEST(a_newcomer_gets_in_at_once_in_place_of_who_was_idle_longest)
{
    struct test_match *test = open_full(idle_def());
    test->peers[0].is_idle = false;
    tick(test);
    test->peers[0].is_idle = true; // later than the others
    ticks(test, IDLE_TICKS + 5);
    const struct peer *guest = play(test, 5);
    ticks(test, 2);
    assert_true(guest->welcome_sent && !guest->is_over);
    assert_evicted(test, 1);
    assert_false(test->peers[0].is_over || test->peers[2].is_over);
    assert_int_equal(counts(test).players, CLIENT_SLOTS);
    assert_int_equal(rejected(test, RAIM_REJECTED_FULL), 0);
    // Its session is over: a client with its token begins a new one and may take the next slot.
    const struct raim_welcome evicted = test->peers[1].welcome;
    const struct peer *again = resume(test, 6, evicted.token);
    ticks(test, 2);
    assert_true(again->welcome_sent);
    assert_memory_not_equal(again->welcome.token, evicted.token, sizeof evicted.token);
    assert_evicted(test, 2);
}

TEST(nobody_goes_while_there_is_arena)
{
    struct raim_match_def def = idle_def();
    struct test_match *test = open_test_match(def);
    for (uint32_t i = 0; i < CLIENT_SLOTS - 1; i++)
        play(test, i)->is_idle = true;
    ticks(test, 5 * IDLE_TICKS);
    play(test, 5);
    ticks(test, 5);
    assert_int_equal(counts(test).players, CLIENT_SLOTS);
    assert_false(test->peers[0].is_over || test->peers[1].is_over);
}

TEST(who_presses_stays)
{
    struct test_match *test = open_full(idle_def());
    for (uint32_t i = 0; i < CLIENT_SLOTS; i++)
        test->peers[i].is_idle = false;
    ticks(test, 3 * IDLE_TICKS);
    // Holding a key counts as idle, as does pressing none, but only after the timeout.
    for (uint32_t i = 0; i < CLIENT_SLOTS; i++)
        test->peers[i].is_idle = true;
    ticks(test, IDLE_TICKS - 5);
    const struct peer *early = play(test, 5);
    ticks(test, 2);
    assert_int_equal(early->goodbye.reason, RAIM_REASON_FULL);
    ticks(test, 10);
    const struct peer *late = play(test, 6);
    ticks(test, 2);
    assert_true(late->welcome_sent);
}

TEST(who_is_lost_goes_before_who_is_idle)
{
    struct test_match *test = open_full(with_grace(idle_def(), 600));
    leave(test, 2);
    ticks(test, IDLE_TICKS + 5);
    const struct peer *guest = play(test, 5);
    ticks(test, 2);
    assert_true(guest->welcome_sent);
    assert_false(test->peers[0].is_over || test->peers[1].is_over);
}

TEST(spectators_and_those_who_resume_evict_nobody)
{
    struct test_match *test = open_full(idle_def());
    ticks(test, IDLE_TICKS + 5);
    watch(test, 5, 0);
    resume(test, 6, test->peers[1].welcome.token)->is_idle = true;
    ticks(test, 3);
    assert_int_equal(test->peers[1].goodbye.reason, RAIM_REASON_RESUMED);
    assert_false(test->peers[0].is_over || test->peers[2].is_over);
    // Resuming does not count as a new input.
    test->peers[0].is_idle = test->peers[2].is_idle = false;
    ticks(test, 5);
    play(test, 7);
    ticks(test, 2);
    assert_evicted(test, 6);
}

TEST(time_stands_in_a_pause_and_nobody_is_idle_without_a_timeout)
{
    struct test_match *test = open_full(idle_def());
    raim_match_pause(test->match, true);
    ticks(test, 3 * IDLE_TICKS);
    const struct peer *guest = play(test, 5);
    ticks(test, 2);
    assert_int_equal(guest->goodbye.reason, RAIM_REASON_FULL);
    raim_match_pause(test->match, false);
    struct raim_match_tuning tuning = test->def.tuning;
    tuning.idle_timeout_s = 0;
    raim_match_tune(test->match, &tuning);
    ticks(test, 3 * IDLE_TICKS);
    const struct peer *other = play(test, 6);
    ticks(test, 2);
    assert_int_equal(other->goodbye.reason, RAIM_REASON_FULL);
}
