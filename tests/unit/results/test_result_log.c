// SPDX-License-Identifier: MIT
// The file of results: lines in order, rotation, a torn last line, and a full disk.
#define _GNU_SOURCE
#include "result_fixture.h"

#include "result_log.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct seen {
    uint32_t count;
    long first, last;
    bool is_in_order;
};

static bool see(void *context, const char *line, size_t size)
{
    struct seen *seen = context;
    const long number = strtol(line, NULL, 10);
    assert_true(size == strlen(line) - 1); // followed by its line feed
    seen->is_in_order = seen->count == 0 || (seen->is_in_order && number > seen->last);
    if (seen->count++ == 0)
        seen->first = number;
    seen->last = number;
    return true;
}

static struct seen read_all(const char *directory)
{
    struct seen seen = {.is_in_order = true};
    struct result_log *log = result_log_create(directory);
    result_log_read(log, RESULT_LOG_FILES + 1, see, &seen);
    result_log_close(log);
    return seen;
}

static bool write_line(struct result_log *log, long number, size_t size)
{
    const char *problem = "";
    char *line = malloc(size + 1);
    memset(line, 'x', size);
    line[size] = '\0';
    const int digits = snprintf(line, size, "%ld", number);
    line[digits] = ' ';
    const bool is_good = result_log_write(log, line, size, &problem);
    assert_true(is_good || problem[0] != '\0');
    free(line);
    return is_good;
}

TEST(lines_are_kept_in_order_and_files_are_bounded)
{
    char directory[64], path[128];
    make_directory(directory);
    struct result_log *log = result_log_create(directory);
    enum { LINE = 700000, LINES = 150 }; // 11 lines a file, 13 files
    for (long i = 1; i <= LINES; i++)
        assert_true(write_line(log, i, LINE));
    result_log_close(log);
    const struct seen seen = read_all(directory);
    assert_true(seen.is_in_order);
    assert_int_equal(seen.last, LINES);
    assert_int_equal(seen.count, seen.last - seen.first + 1); // none is missing
    assert_in_range(seen.count, 8 * 11 + 1, 9 * 11);
    struct stat status;
    for (int i = 1; i <= RESULT_LOG_FILES; i++) {
        snprintf(path, sizeof path, "%s/results.jsonl.%d", directory, i);
        assert_int_equal(stat(path, &status), 0);
        assert_true(status.st_size <= RESULT_LOG_BYTES && (status.st_mode & 077) == 0);
    }
    snprintf(path, sizeof path, "%s/results.jsonl.%d", directory, RESULT_LOG_FILES + 1);
    assert_int_equal(stat(path, &status), -1);
    remove_directory(directory);
}

static void append(const char *directory, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/results.jsonl", directory);
    FILE *out = fopen(path, "a");
    fputs(text, out);
    fclose(out);
}

TEST(a_torn_line_is_cut_off)
{
    char directory[64];
    make_directory(directory);
    for (long i = 1; i <= 3; i++) {
        struct result_log *log = result_log_create(directory);
        assert_true(write_line(log, i, 100));
        result_log_close(log);
        append(directory, "99999 torn"); // as by a process that died
        assert_int_equal(read_all(directory).count, i);
    }
    assert_int_equal(read_all(directory).last, 3);
    remove_directory(directory);
}

TEST(a_removed_file_is_begun_anew)
{
    char directory[64], path[128];
    make_directory(directory);
    snprintf(path, sizeof path, "%s/results.jsonl", directory);
    struct result_log *log = result_log_create(directory);
    assert_true(write_line(log, 1, 100));
    assert_int_equal(unlink(path), 0);
    assert_true(write_line(log, 2, 100));
    result_log_close(log);
    assert_int_equal(read_all(directory).first, 2);
    remove_directory(directory);
}

TEST(a_line_that_does_not_fit_leaves_nothing_behind)
{
    char directory[64];
    struct rlimit before, limit;
    make_directory(directory);
    signal(SIGXFSZ, SIG_IGN);
    struct result_log *log = result_log_create(directory);
    assert_true(write_line(log, 1, 100));
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 150; // half of the second line
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_false(write_line(log, 2, 100));
    assert_false(write_line(log, 3, 100));
    setrlimit(RLIMIT_FSIZE, &before);
    assert_true(write_line(log, 4, 100));
    result_log_close(log);
    const struct seen seen = read_all(directory);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.last, 4);
    remove_directory(directory);
}

TEST(a_link_is_not_followed)
{
    char directory[64], path[128];
    make_directory(directory);
    snprintf(path, sizeof path, "%s/results.jsonl", directory);
    assert_int_equal(symlink("/dev/null", path), 0);
    struct result_log *log = result_log_create(directory);
    assert_false(write_line(log, 1, 100));
    result_log_close(log);
    remove_directory(directory);
}
