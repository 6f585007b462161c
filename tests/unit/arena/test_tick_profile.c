// SPDX-License-Identifier: MIT
// The profile of a tick: the time of each stage.
#include "arena_load.h"
#include "monotonic.h"
#include "test.h"

// The clock of these tests.
static uint64_t now_ns;
static unsigned reads;

static struct tick_profile *profile;

uint64_t __real_monotonic_ns(void);
uint64_t __wrap_monotonic_ns(void);
uint64_t __wrap_monotonic_ns(void)
{
    if (profile == NULL)
        return __real_monotonic_ns();
    reads++;
    return now_ns;
}

static void set_up(void)
{
    profile = calloc(1, sizeof *profile);
    now_ns = 1000;
    reads = 0;
}

static void tear_down(void)
{
    free(profile);
    profile = NULL;
}

TEST_EACH(set_up, tear_down)

static void pass(struct tick_timer *timer, uint64_t ns, enum tick_stage next)
{
    now_ns += ns;
    tick_timer_enter(timer, next);
}

TEST(time_counts_for_the_stage_in_which_it_passes)
{
    struct tick_timer timer = {0};
    tick_timer_begin(&timer, true, now_ns);
    pass(&timer, 10, TICK_STAGE_STEP);
    pass(&timer, 200, TICK_STAGE_INTEREST);
    for (int client = 0; client < 3; client++) {
        pass(&timer, 1000, TICK_STAGE_ENCODE);
        pass(&timer, 20000, TICK_STAGE_SEND);
        pass(&timer, 300000, TICK_STAGE_INTEREST);
    }
    pass(&timer, 0, TICK_STAGE_SEND);
    now_ns += 5;
    tick_timer_end(&timer, profile);
    const uint64_t wanted[TICK_STAGES] = {10, 200, 3000, 60000, 900005};
    assert_int_equal(tick_profile_kept(profile), 1);
    for (int stage = 0; stage < TICK_STAGES; stage++) {
        assert_int_equal(profile->ns[stage][0], wanted[stage]);
        assert_int_equal(profile->stages[stage].sum_ns, wanted[stage]);
    }
}

TEST(a_timer_that_is_off_reads_no_clock)
{
    struct tick_timer timer = {0};
    tick_timer_begin(&timer, true, now_ns);
    tick_timer_end(&timer, profile);
    const unsigned before = reads;
    pass(&timer, 10, TICK_STAGE_STEP); // after its end
    tick_timer_begin(&timer, false, now_ns);
    pass(&timer, 10, TICK_STAGE_STEP);
    tick_timer_end(&timer, profile);
    assert_int_equal(reads, before);
    assert_int_equal(profile->count, 1);
}

TEST(the_window_holds_the_newest_ticks)
{
    struct tick_timer timer = {0};
    for (uint64_t tick = 0; tick < TICK_PROFILE_WINDOW + 3; tick++) {
        tick_timer_begin(&timer, true, now_ns);
        now_ns += tick;
        tick_timer_end(&timer, profile);
    }
    assert_int_equal(tick_profile_kept(profile), TICK_PROFILE_WINDOW);
    assert_int_equal(profile->ns[TICK_STAGE_RECEIVE][2], TICK_PROFILE_WINDOW + 2);
    assert_int_equal(profile->ns[TICK_STAGE_RECEIVE][3], 3);
    tick_timer_begin(&timer, true, now_ns);
    now_ns += UINT64_C(1) << 40;
    tick_timer_end(&timer, profile);
    assert_int_equal(profile->ns[TICK_STAGE_RECEIVE][3], UINT32_MAX);
}
