// SPDX-License-Identifier: MIT
// The thread: every result that is handed over is written, queries are answered while results come,
// and what waits is bounded.                                                test_results [--seed N]
#define _GNU_SOURCE
#include "loop.h"
#include "metric_fixture.h"
#include "monotonic.h"
#include "result_fixture.h"
#include "result_log.h"
#include "results.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *directory;
static struct loop *loop;
static struct results *results;

static void begin(const char *directory_or_none)
{
    directory = directory_or_none;
    loop = loop_create();
    assert_non_null(loop);
    results = results_create(&(struct results_def){.directory = directory, .loop = loop});
    assert_non_null(results);
}

static void end(void)
{
    results_close(results);
    loop_destroy(loop);
}

static void add(int64_t start_ms, const char *name, uint32_t score)
{
    struct round_report *report = make_report(2);
    report->start_ms = start_ms;
    set_player(report, 0, name, "", score);
    set_player(report, 1, "Bot 1", "", 1)->bot = true;
    results_add(results, report);
}

// Waits for the answer.
static const char *ask(enum results_kind kind, uint32_t limit)
{
    struct results_query query;
    memset(&query, 0, sizeof query);
    query.kind = kind;
    query.limit = limit;
    struct results_answer *answer = results_ask(results, &query);
    assert_non_null(answer);
    const uint64_t end_ms = monotonic_ms() + 30000;
    const char *text;
    while (!results_answered(answer, &text)) {
        assert_true(monotonic_ms() < end_ms);
        loop_wait(loop, 1000);
    }
    assert_non_null(text);
    text = freed(strdup(text));
    results_release(answer);
    return text;
}

static uint32_t count(const char *text, const char *what)
{
    uint32_t found = 0;
    while ((text = strstr(text, what)) != NULL) {
        found++;
        text++;
    }
    return found;
}

static void assert_50_rounds_of_ann(void)
{
    assert_non_null(
        strstr(ask(RESULTS_LEADERBOARD, 10), "\"rounds\":50,\"wins\":0,\"score\":100,"));
}

TEST(every_result_is_written_before_the_end)
{
    begin(test_directory());
    assert_true(results_start(results));
    for (int i = 1; i <= 50; i++) {
        add(i, "Ann", 2);
        if (i % 10 == 0)
            ask(RESULTS_LEADERBOARD, (uint32_t)i);
    }
    end();
    begin(directory);
    assert_true(results_start(results));
    assert_int_equal(count(ask(RESULTS_ROUNDS, 1000), "\"round\":3"), 50);
    assert_50_rounds_of_ann();
    end();
    // The database is made anew from the lines.
    assert_int_equal(unlink(path_in(directory, "results.db")), 0);
    begin(directory);
    assert_true(results_start(results));
    assert_50_rounds_of_ann();
    end();
}

TEST(without_a_directory_they_are_in_memory)
{
    begin(NULL);
    add(1, "before the thread", 1);
    assert_true(results_start(results));
    assert_non_null(strstr(ask(RESULTS_LEADERBOARD, 10), "before the thread"));
    end();
}

TEST(what_waits_is_bounded)
{
    begin(NULL); // without its thread
    struct results_query query;
    memset(&query, 0, sizeof query);
    struct results_answer *answers[64];
    uint32_t asked = 0;
    for (query.limit = 1; query.limit <= 64; query.limit++) {
        struct results_answer *answer = results_ask(results, &query);
        if (answer != NULL)
            answers[asked++] = answer;
    }
    assert_in_range(asked, 8, 32);
    query.limit = 1;
    struct results_answer *again = results_ask(results, &query); // the same query is shared
    assert_ptr_equal(again, answers[0]);
    results_release(again);
    while (asked > 0)
        results_release(answers[--asked]);
    struct round_report *report = make_report(1000);
    for (uint32_t i = 0; i < 1000; i++)
        set_player(report, i, "a player with a long nam", "", 1);
    for (int i = 0; i < 200; i++)
        results_add(results, report);
    assert_in_range(metric_of(&results_metrics, results, "lost"), 80, 160);
    end();
}

TEST(a_directory_that_is_gone_costs_results_and_nothing_else)
{
    begin(test_directory());
    assert_int_equal(rmdir(directory), 0);
    assert_true(results_start(results));
    add(1, "Ann", 1);
    const uint64_t end_ms = monotonic_ms() + 30000;
    while (metric_of(&results_metrics, results, "lost") == 0) {
        assert_true(monotonic_ms() < end_ms);
        loop_wait(loop, 1000);
    }
    assert_int_equal(mkdir(directory, 0700), 0);
    add(2, "Ann", 1);
    end();
    struct stat status;
    assert_int_equal(stat(path_in(directory, "results.jsonl"), &status), 0);
    assert_true(status.st_size > 0);
}

// --- Result log ---

// The file of results: lines in order, rotation, a torn last line, and a full disk.

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

static struct seen read_all(void)
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
    directory = test_directory();
    struct result_log *log = result_log_create(directory);
    char path[128];
    enum { LINE = 700000, LINES = 150 }; // 11 lines a file, 13 files
    for (long i = 1; i <= LINES; i++)
        assert_true(write_line(log, i, LINE));
    result_log_close(log);
    const struct seen seen = read_all();
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
}

static void append(const char *text)
{
    FILE *out = fopen(path_in(directory, "results.jsonl"), "a");
    fputs(text, out);
    fclose(out);
}

TEST(a_torn_line_is_cut_off)
{
    directory = test_directory();
    for (long i = 1; i <= 3; i++) {
        struct result_log *log = result_log_create(directory);
        assert_true(write_line(log, i, 100));
        result_log_close(log);
        append("99999 torn"); // as by a process that died
        assert_int_equal(read_all().count, i);
    }
    assert_int_equal(read_all().last, 3);
}

TEST(a_removed_file_is_begun_anew)
{
    directory = test_directory();
    struct result_log *log = result_log_create(directory);
    assert_true(write_line(log, 1, 100));
    assert_int_equal(unlink(path_in(directory, "results.jsonl")), 0);
    assert_true(write_line(log, 2, 100));
    result_log_close(log);
    assert_int_equal(read_all().first, 2);
}

TEST(a_line_that_does_not_fit_leaves_nothing_behind)
{
    struct rlimit before, limit;
    directory = test_directory();
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
    const struct seen seen = read_all();
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.last, 4);
}

TEST(a_link_is_not_followed)
{
    directory = test_directory();
    assert_int_equal(symlink("/dev/null", path_in(directory, "results.jsonl")), 0);
    struct result_log *log = result_log_create(directory);
    assert_false(write_line(log, 1, 100));
    result_log_close(log);
}
