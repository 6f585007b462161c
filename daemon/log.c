// SPDX-License-Identifier: MIT
// Writes log lines to the journal or to standard error, whole or not at all.
#define _GNU_SOURCE
#include "log.h"

#include "journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A line with its newline. Far below PIPE_BUF, so that lines of several threads never mix.
#define LINE_BYTES 1024

static bool journal;                       // standard error is the journal
static bool structured;                    // and lines go to it with their fields
static _Atomic int least = LOG_LEVEL_INFO; // grave that a line is written

static size_t write_prefix(char *line, size_t capacity, enum log_level level);
static size_t write_escaped(char *line, size_t capacity, const char *text);
static void log_line(enum log_level level, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

// As the one is that systemd gives to its services.
static bool is_stream_socket(int descriptor)
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

void log_init(void)
{
    // Whoever redirects standard error leaves the variable as it was, so the file must match too:
    // systemd.exec(5), $JOURNAL_STREAM.
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat status;
    uintmax_t device = 0;
    uintmax_t inode = 0;
    journal = stream != NULL && sscanf(stream, "%ju:%ju", &device, &inode) == 2 &&
              fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device &&
              status.st_ino == inode;
    structured = journal && is_stream_socket(STDERR_FILENO) && journal_open();
}

bool log_is_journal(void)
{
    return journal;
}

void log_set_level(enum log_level level)
{
    least = (int)level;
}

enum log_level log_get_level(void)
{
    return (enum log_level)least;
}

void log_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(LOG_LEVEL_ERROR, format, arguments);
    va_end(arguments);
}

void log_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(LOG_LEVEL_WARNING, format, arguments);
    va_end(arguments);
}

void log_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(LOG_LEVEL_INFO, format, arguments);
    va_end(arguments);
}

static void log_line(enum log_level level, const char *format, va_list arguments)
{
    if ((int)level > least)
        return;
    const int saved_errno = errno;
    char text[LINE_BYTES];
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        snprintf(text, sizeof text, "unprintable log message format=%s", format);
    char line[LINE_BYTES];
    const size_t start = write_prefix(line, sizeof line, level);
    size_t size = start + write_escaped(line + start, sizeof line - 1 - start, text);
    line[size] = '\0';
    const bool sent = structured && journal_send(level, line + start);
    line[size++] = '\n';
    while (!sent && write(STDERR_FILENO, line, size) < 0 && errno == EINTR) {
    }
    errno = saved_errno;
}

static size_t write_prefix(char *line, size_t capacity, enum log_level level)
{
    if (journal)
        return (size_t)snprintf(line, capacity, "<%d>", (int)level);
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    const size_t size = strftime(line, capacity, "%Y-%m-%dT%H:%M:%S", &utc);
    return size + (size_t)snprintf(line + size, capacity - size, ".%03ldZ %s ",
                                   now.tv_nsec / 1000000, log_level_name(level));
}

// Copies the text with control characters spelled out, so that it cannot begin a line of its own
// or steer a terminal. What does not fit is cut between characters and marked with "...".
static size_t write_escaped(char *line, size_t capacity, const char *text)
{
    static const char mark[] = "...";
    const size_t room = capacity - (sizeof mark - 1);
    size_t size = 0;
    size_t cut = 0; // the last place where the mark would fit and no character be split
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        char escape[] = "\\x00";
        size_t length = 1;
        if (byte == '\n')
            memcpy(escape, "\\n", length = 2);
        else if (byte < 0x20 || byte == 0x7f)
            length = (size_t)snprintf(escape, sizeof escape, "\\x%02x", byte);
        else
            escape[0] = (char)byte;
        if (size <= room && (byte & 0xC0) != 0x80)
            cut = size;
        if (size + length > capacity) {
            memcpy(line + cut, mark, sizeof mark - 1);
            return cut + sizeof mark - 1;
        }
        memcpy(line + size, escape, length);
        size += length;
    }
    return size;
}
