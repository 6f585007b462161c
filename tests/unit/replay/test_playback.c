// SPDX-License-Identifier: MIT
// The position of a recording: speeds, steps, its ends, and times in words.
#include "test.h"
#include "timeline.h"

static struct playback fresh(void)
{
    return (struct playback){.ticks = 6000, .tick_hz = 60, .speed = PLAYBACK_NORMAL};
}

TEST(a_second_is_as_many_ticks_as_the_speed_says)
{
    static const double ticks[PLAYBACK_SPEEDS] = {15, 30, 60, 120, 240, 480, 960};
    struct playback playback = fresh();
    for (int i = 0; i < PLAYBACK_SPEEDS; i++)
        playback_change_speed(&playback, -1);
    for (int i = 0; i < PLAYBACK_SPEEDS; i++) {
        playback.position = 0;
        playback_advance(&playback, 1);
        assert_float_equal(playback.position, ticks[i], 1e-9);
        playback_change_speed(&playback, 1);
    }
    assert_float_equal(playback_factor(&playback), 16, 0);
}

TEST(it_pauses_at_the_end_and_starts_from_the_beginning)
{
    struct playback playback = fresh();
    playback_seek(&playback, 1e9);
    assert_float_equal(playback.position, 6000, 0);
    playback_advance(&playback, 0.1);
    assert_true(playback.is_paused);
    playback_advance(&playback, 10);
    assert_float_equal(playback.position, 6000, 0);
    playback_toggle(&playback);
    assert_false(playback.is_paused);
    assert_float_equal(playback.position, 0, 0);
}

TEST(a_step_ends_on_a_whole_tick)
{
    struct playback playback = fresh();
    playback.position = 10.25;
    playback_step(&playback, 1);
    assert_float_equal(playback.position, 11, 0);
    assert_true(playback.is_paused);
    playback_step(&playback, 1);
    assert_float_equal(playback.position, 12, 0);
    playback.position = 10.25;
    playback_step(&playback, -1);
    assert_float_equal(playback.position, 10, 0);
    playback_step(&playback, -1);
    assert_float_equal(playback.position, 9, 0);
    playback.position = 0;
    playback_step(&playback, -1);
    assert_float_equal(playback.position, 0, 0);
}

TEST(times_are_in_words)
{
    char words[PLAYBACK_TIME_BYTES];
    struct playback playback = fresh();
    playback_time(&playback, 0, false, words);
    assert_string_equal(words, "0:00");
    playback_time(&playback, 60 * 83.45, true, words);
    assert_string_equal(words, "1:23.4");
    playback_time(&playback, 60 * 3723.0, false, words);
    assert_string_equal(words, "1:02:03");
    playback.tick_hz = 10;
    playback_time(&playback, UINT32_MAX, true, words); // the longest, at the slowest rate
    assert_string_equal(words, "119304:38:49.5");
}
