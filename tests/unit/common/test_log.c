// SPDX-License-Identifier: MIT
// The log: standard error is a socket that preserves the boundaries of writes.
#define _GNU_SOURCE
#include "log.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES 1024
#define THREADS 4
#define THREAD_LINES 100

static int saved;    // what standard error was
static int receiver; // where its lines arrive, one a message

static void open_tap(void)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    saved = dup(STDERR_FILENO);
    receiver = ends[0];
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    unsetenv("JOURNAL_STREAM");
    log_init();
    log_set_level(LOG_LEVEL_INFO);
}

static void close_tap(void)
{
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(receiver);
}

TEST_EACH(open_tap, close_tap)

// Reads the next write's bytes and appends a NUL; false when there is none.
static bool next_write(char text[4 * LINE_BYTES])
{
    const ssize_t size = recv(receiver, text, 4 * LINE_BYTES - 1, MSG_DONTWAIT);
    if (size < 0)
        return false;
    text[size] = '\0';
    assert_int_equal(strlen(text), size);
    return true;
}

static void pretend_journal(long inode_offset)
{
    struct stat status;
    char stream[64];
    assert_int_equal(fstat(STDERR_FILENO, &status), 0);
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)status.st_dev,
             (uintmax_t)status.st_ino + (uintmax_t)inode_offset);
    setenv("JOURNAL_STREAM", stream, 1);
    log_init();
}

// Checks the timestamp, such as "2026-11-21T10:15:00.123Z ", and returns the text after it.
static const char *behind_timestamp(const char *line)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ ";
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == 'd')
            assert_in_range(line[i], '0', '9');
        else
            assert_int_equal(line[i], form[i]);
    return line + sizeof form - 1;
}

static void assert_write(const char *expected)
{
    char text[4 * LINE_BYTES];
    assert_true(next_write(text));
    assert_string_equal(text, expected);
}

static void assert_no_line(void)
{
    char text[4 * LINE_BYTES];
    assert_false(next_write(text));
}

static void assert_line(const char *expected)
{
    char text[4 * LINE_BYTES];
    assert_true(next_write(text));
    assert_string_equal(behind_timestamp(text), expected);
}

TEST(line_begins_with_time_and_level)
{
    log_error("cannot open file=%s", "a");
    assert_line("error cannot open file=a\n");
    log_warning("slow ms=%d", 7);
    assert_line("warning slow ms=7\n");
    log_info("ready");
    assert_line("info ready\n");
    assert_no_line();
}

TEST(lines_below_the_level_are_left_out)
{
    char text[4 * LINE_BYTES];
    log_set_level(LOG_LEVEL_WARNING);
    log_info("no");
    log_warning("yes");
    assert_line("warning yes\n");
    log_set_level(LOG_LEVEL_ERROR);
    log_warning("no");
    log_error("yes");
    assert_line("error yes\n");
    log_write(LOG_LEVEL_AUDIT, &(struct log_subject){0}, "command given by=%s", "ada");
    assert_line("audit command given by=ada\n");
    log_set_level(LOG_LEVEL_INFO);
    log_info("yes");
    assert_true(next_write(text));
    assert_no_line();
}

TEST(journal_gets_priorities_and_no_time)
{
    pretend_journal(0);
    log_error("bad");
    assert_write("<3>bad\n");
    log_warning("odd");
    assert_write("<4>odd\n");
    log_info("good");
    assert_write("<6>good\n");
}

TEST(journal_of_another_stream_is_not_ours)
{
    pretend_journal(1);
    log_info("plain");
    assert_line("info plain\n");
    setenv("JOURNAL_STREAM", "garbage", 1);
    log_init();
    log_info("plain");
    assert_line("info plain\n");
}

TEST(control_characters_are_spelled_out)
{
    pretend_journal(0);
    log_info("name=%s", "a\n<3>forged\r\x1b[31m\t\x7f \xc3\xa9\\");
    assert_write("<6>name=a\\n<3>forged\\x0d\\x1b[31m\\x09\\x7f \xc3\xa9\\\n");
    assert_no_line();
}

// Lines of `unit` repeated, of every length around the limit, each after `offset` other bytes.
static void check_lengths(const char *unit, size_t offset)
{
    char message[2 * LINE_BYTES];
    char text[4 * LINE_BYTES];
    const size_t size = strlen(unit);
    memset(message, '.', offset);
    for (size_t end = offset; end + size < sizeof message; end += size) {
        memcpy(message + end, unit, size + 1);
        if (end < 200)
            continue;
        log_info("%s", message);
        assert_true(next_write(text));
        const size_t length = strlen(text);
        assert_in_range(length, 2, LINE_BYTES);
        assert_ptr_equal(strchr(text, '\n'), text + length - 1);
        // A cut line ends with whole characters and the mark.
        if (strcmp(text + length - 4, "...\n") == 0) {
            assert_true(length > LINE_BYTES - 12);
            const char *tail = text + length - 4;
            while ((*--tail & 0xC0) == 0x80) {
            }
            if ((unsigned char)unit[0] >= 0xE0)
                assert_memory_equal(tail, unit, size);
        }
    }
}

TEST(long_line_is_cut_between_characters)
{
    pretend_journal(0);
    for (size_t offset = 0; offset < 4; offset++) {
        check_lengths("a", offset);
        check_lengths("\n", offset);
        check_lengths("\x01", offset);
        check_lengths("\xe2\x82\xac", offset);
        check_lengths("\xf0\x9f\x98\x80", offset);
    }
    unsetenv("JOURNAL_STREAM");
    log_init();
    check_lengths("a", 0);
}

TEST(line_that_just_fits_is_whole)
{
    char message[LINE_BYTES];
    char text[4 * LINE_BYTES];
    pretend_journal(0);
    const size_t fits = LINE_BYTES - strlen("<6>\n");
    memset(message, 'a', sizeof message);
    message[fits] = '\0';
    log_info("%s", message);
    assert_true(next_write(text));
    assert_int_equal(strlen(text), LINE_BYTES);
    assert_memory_equal(text + LINE_BYTES - 4, "aaa\n", 4);
    message[fits] = 'a';
    message[fits + 1] = '\0';
    log_info("%s", message);
    assert_true(next_write(text));
    assert_int_equal(strlen(text), LINE_BYTES);
    assert_memory_equal(text + LINE_BYTES - 5, "a...\n", 5);
}

TEST(errno_outlives_a_line_that_fails)
{
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    dup2(full, STDERR_FILENO);
    close(full);
    errno = EDOM;
    log_info("lost");
    assert_int_equal(errno, EDOM);
}

static void *write_lines(void *unused)
{
    for (int i = 0; i < THREAD_LINES; i++)
        log_info("a line of a thread i=%d end", i);
    return unused;
}

TEST(lines_of_threads_never_mix)
{
    // Blocking reads below, so that the writers always find room in time.
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, NULL), 0);
    for (int i = 0; i < THREADS * THREAD_LINES; i++) {
        char text[LINE_BYTES + 1];
        const ssize_t size = recv(receiver, text, LINE_BYTES, 0);
        assert_true(size > 0);
        text[size] = '\0';
        assert_memory_equal(behind_timestamp(text), "info a line of a thread i=", 26);
        assert_string_equal(text + size - 5, " end\n");
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void *fill_tap(void *lines)
{
    log_never_wait();
    for (int i = 0; i < *(const int *)lines; i++)
        log_info("nobody reads this");
    return NULL;
}

TEST(unread_lines_are_lost_and_counted)
{
    char text[4 * LINE_BYTES];
    int lines = 10000, arrived = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fill_tap, &lines), 0);
    assert_int_equal(pthread_join(thread, NULL), 0); // it has not waited for a reader
    while (next_write(text))
        arrived++;
    assert_in_range(arrived, 1, lines - 1);
    log_info("read again");
    assert_true(next_write(text));
    unsigned lost;
    assert_int_equal(sscanf(behind_timestamp(text), "warning log lost lines=%u:", &lost), 1);
    assert_int_equal(arrived + (int)lost, lines);
    assert_line("info read again\n");
    log_info("and again");
    assert_line("info and again\n");
}
