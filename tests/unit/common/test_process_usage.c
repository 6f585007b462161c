// SPDX-License-Identifier: MIT
// Tests of what the process takes of the machine.
#define _GNU_SOURCE
#include "process_usage.h"
#include "test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

TEST(fields_are_found_behind_any_name)
{
    struct process_usage_stat stat;
    assert_true(process_usage_parse("7 (a) b) 1 (x) S 1 2 3 4 5 6 7 8 9 10 111 222 13 14 15 16 5 "
                                    "18 777 4096 99 1000 1",
                                    &stat));
    assert_int_equal(stat.user_ticks, 111);
    assert_int_equal(stat.system_ticks, 222);
    assert_int_equal(stat.threads, 5);
    assert_int_equal(stat.start_ticks, 777);
    assert_int_equal(stat.virtual_bytes, 4096);
    assert_int_equal(stat.resident_pages, 99);
}

TEST(other_text_is_rejected)
{
    struct process_usage_stat stat;
    assert_false(process_usage_parse("", &stat));
    assert_false(process_usage_parse("7 (a", &stat));
    assert_false(process_usage_parse("7 (a) S 1 2 3", &stat));
}

TEST(values_are_those_of_this_process)
{
    struct process_usage *usage = process_usage_open();
    struct process_usage_values before, after;
    struct rlimit limit;
    assert_true(process_usage_read(usage, &before));
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(process_usage_read(usage, &after));
    assert_int_equal(after.open_descriptors, before.open_descriptors + 1);
    assert_true(after.resident_bytes > 100000 && after.virtual_bytes >= after.resident_bytes);
    assert_true(after.threads >= 1);
    const double age_s = (double)time(NULL) - after.started_s;
    assert_true(age_s > -2 && age_s < 600);
    assert_true(after.started_s == before.started_s);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(after.max_descriptors, limit.rlim_cur);
    while (after.cpu_s <= before.cpu_s)
        assert_true(process_usage_read(usage, &after));
    close(file);
    process_usage_close(usage);
    assert_false(process_usage_read(NULL, &after));
}
