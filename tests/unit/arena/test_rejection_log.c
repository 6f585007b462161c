// SPDX-License-Identifier: MIT
// When rejected datagrams are worth a log line, and what it says.
#include "rejection_log.h"
#include "test.h"

static struct rejection_log rejections;
static struct transport_stats stats;
static char line[REJECTION_LOG_LINE_BYTES];

static void set_up(void)
{
    memset(&rejections, 0, sizeof rejections);
    memset(&stats, 0, sizeof stats);
}

TEST_EACH(set_up, NULL)

TEST(a_few_rejections_write_no_line)
{
    assert_false(rejection_log_update(&rejections, &stats, line));
    for (int minute = 0; minute < 10; minute++) {
        stats.rejected[DATAGRAM_COOKIE] += REJECTION_LOG_MIN / 2;
        stats.rejected[DATAGRAM_MALFORMED] += REJECTION_LOG_MIN / 2 - 1;
        stats.rejected[DATAGRAM_OK] += 1000000; // not a rejection
        assert_false(rejection_log_update(&rejections, &stats, line));
    }
}

TEST(a_flood_writes_a_line_with_the_counts_since_the_last)
{
    stats.rejected[DATAGRAM_COOKIE] = 48213;
    assert_true(rejection_log_update(&rejections, &stats, line));
    assert_string_equal(line, "count=48213 cookie=48213");
    assert_false(rejection_log_update(&rejections, &stats, line));
    stats.rejected[DATAGRAM_COOKIE] += 1000;
    stats.rejected[DATAGRAM_CONNECT_RATE] += 20;
    stats.queries_limited += 3;
    assert_true(rejection_log_update(&rejections, &stats, line));
    assert_string_equal(line, "count=1023 cookie=1000 connect_rate=20 queries=3");
}

TEST(the_longest_line_is_whole)
{
    for (int i = DATAGRAM_OK + 1; i < DATAGRAM_VERDICTS; i++)
        stats.rejected[i] = UINT64_MAX / DATAGRAM_VERDICTS - 1;
    stats.queries_limited = 12345678901;
    assert_true(rejection_log_update(&rejections, &stats, line));
    assert_non_null(strstr(line, " queries=12345678901"));
}
