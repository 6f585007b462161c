// SPDX-License-Identifier: MIT
// The rate and the percentiles of frame times.
#include "frame_times.h"
#include "test.h"

TEST(nothing_is_reported_before_the_second_frame)
{
    static struct frame_times times;
    assert_float_equal(frame_times_summary(&times).hz, 0, 0);
    frame_times_take(&times, 5);
    assert_float_equal(frame_times_summary(&times).p99_ms, 0, 0);
}

TEST(slow_frames_show_in_the_99th_percentile)
{
    static struct frame_times times;
    double now_s = 1;
    frame_times_take(&times, now_s);
    for (int i = 0; i < 5000; i++)
        frame_times_take(&times, now_s += i % 50 == 0 ? 0.040 : 0.010);
    const struct frame_summary summary = frame_times_summary(&times);
    assert_float_equal(summary.p50_ms, 10, 0.01);
    assert_float_equal(summary.p99_ms, 40, 0.01);
    assert_float_equal(summary.hz, 94.34, 0.2); // 1 / (0.98 * 10 ms + 0.02 * 40 ms)
}

TEST(a_pause_is_no_frame)
{
    static struct frame_times times;
    for (int i = 1; i < 10; i++)
        frame_times_take(&times, i * 0.02);
    for (int i = 1; i < 10; i++)
        frame_times_take(&times, 100 + i * 0.02);
    assert_float_equal(frame_times_summary(&times).p99_ms, 20, 0.01);
}
