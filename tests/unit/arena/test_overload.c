// SPDX-License-Identifier: MIT
// The thresholds of overload detection.
#include "arena_load.h"
#include "test.h"

enum { HZ = 60, DUE = 600, BEGIN = 60, END = 30 };

static struct overload overload;
static uint64_t late, skipped;
static uint32_t busy_percent; // of the worker

static int set_up(void **state)
{
    (void)state;
    memset(&overload, 0, sizeof overload);
    late = skipped = 0;
    busy_percent = 100;
    return 0;
}

// Adds a second with so many late and skipped ticks. Returns whether the state changed.
static bool second(uint64_t more_late, uint64_t more_skipped)
{
    late += more_late;
    skipped += more_skipped;
    return overload_update(&overload, late, skipped, HZ, busy_percent);
}

TEST(an_arena_on_time_never_changes, set_up, NULL)
{
    for (int i = 0; i < 100; i++)
        assert_false(second(0, 0));
    for (int i = 0; i < 100; i++)
        assert_false(second(BEGIN / OVERLOAD_WINDOW, 0)); // exactly a tenth
    assert_false(overload.is_on);
}

TEST(every_tick_late_is_reported_within_two_seconds, set_up, NULL)
{
    assert_false(second(HZ, 0));
    assert_true(second(HZ, 0));
    assert_true(overload.is_on);
    assert_int_equal(overload.late_in_window, 2 * HZ);
    assert_int_equal(overload.due, DUE);
    for (int i = 0; i < 100; i++)
        assert_false(second(HZ, 0)); // reported once
    assert_int_equal(overload.late_in_window, DUE);
    char line[OVERLOAD_LINE_BYTES];
    overload_write(&overload, line);
    assert_string_equal(line, "late=600 skipped=0 due=600");
}

TEST(a_worker_with_time_left_is_not_the_cause, set_up, NULL)
{
    busy_percent = OVERLOAD_MACHINE_PERCENT;
    second(HZ, 0);
    second(HZ, 0);
    assert_string_equal(overload_cause(&overload), "raimd");
    busy_percent = OVERLOAD_MACHINE_PERCENT - 1;
    second(HZ, 0);
    assert_string_equal(overload_cause(&overload), "machine");
}

TEST(skipped_ticks_count_as_late_ones, set_up, NULL)
{
    assert_false(second(BEGIN / 2, BEGIN / 2));
    assert_true(second(0, 1));
    assert_int_equal(overload.skipped_in_window, BEGIN / 2 + 1);
}

TEST(it_ends_when_few_are_late_for_a_whole_window, set_up, NULL)
{
    second(HZ, 0);
    assert_true(second(HZ, 0));
    for (int i = 0; i < OVERLOAD_WINDOW - 2; i++)
        assert_false(second(0, 0));
    assert_false(second(0, 0)); // the last second with late ticks is still in the window
    assert_true(second(0, 0));
    assert_false(overload.is_on);
}

TEST(between_the_two_thresholds_the_state_stays, set_up, NULL)
{
    const uint64_t between = (BEGIN + END) / 2 / OVERLOAD_WINDOW;
    for (int i = 0; i < 3 * OVERLOAD_WINDOW; i++)
        assert_false(second(between, 0));
    assert_false(overload.is_on);
    assert_true(second(BEGIN, 0));
    for (int i = 0; i < 3 * OVERLOAD_WINDOW; i++)
        assert_false(second(between, 0));
    assert_true(overload.is_on);
    int seconds = 0;
    while (!second(0, 0))
        assert_in_range(++seconds, 1, OVERLOAD_WINDOW);
}

TEST(old_counts_leave_the_window, set_up, NULL)
{
    late = skipped = UINT64_C(1) << 40;
    assert_true(second(0, 0)); // every tick counts in the first sample
    for (int i = 0; i < OVERLOAD_WINDOW - 1; i++)
        assert_false(second(0, 0));
    assert_true(second(0, 0));
    assert_int_equal(overload.late_in_window, 0);
}

// Samples of a second each, in which a worker was busy for so many percent.
static bool load_for(struct worker_load *load, uint32_t percent, int seconds)
{
    const uint64_t second_ns = 1000000000;
    const uint32_t newest = (load->samples + WORKER_LOAD_WINDOW - 1) % WORKER_LOAD_WINDOW;
    uint64_t busy_ns = load->busy_ns[newest], now_ns = load->at_ns[newest];
    bool has_changed = false;
    for (int i = 0; i < seconds; i++) {
        busy_ns += percent * second_ns / 100;
        now_ns += second_ns;
        has_changed |= worker_load_update(load, busy_ns, now_ns);
    }
    return has_changed;
}

TEST(a_worker_is_overloaded_after_five_seconds_and_until_there_is_arena)
{
    struct worker_load load = {0};
    load_for(&load, 10, 10);
    assert_false(load_for(&load, 99, 4));
    assert_false(load.is_on);
    assert_true(load_for(&load, 99, 1));
    assert_true(load.is_on);
    assert_int_equal(load.percent, 99);
    assert_false(load_for(&load, 80, 20)); // between the limits it stays
    assert_true(load_for(&load, 70, 5));
    assert_false(load.is_on);
    assert_false(load_for(&load, 90, 20));
    struct worker_load fresh = {0};
    assert_false(load_for(&fresh, 100, 5)); // the first sample is the beginning
    assert_true(load_for(&fresh, 100, 1));
}
