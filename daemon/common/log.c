// SPDX-License-Identifier: MIT
// Writes log lines to the journal or to standard error, whole or not at all, and waits for a slow
// reader only once and briefly.
#define _GNU_SOURCE
#include "log.h"

#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A line with its newline. Far below PIPE_BUF, so that lines of several threads never mix.
#define LINE_BYTES 1024

static bool journal;                           // standard error is the journal
static bool structured;                        // and lines are sent to it with fields
static _Atomic int max_level = LOG_LEVEL_INFO; // the least severe level that is written
static int output = STDERR_FILENO;             // or a non-blocking descriptor of the same file
static _Atomic uint32_t lost;                  // lines lost for lack of room
static _Thread_local int max_wait_ms = 100;

static size_t write_prefix(char *line, size_t capacity, enum log_level level);
static size_t write_escaped(char *line, size_t capacity, const char *text);
static void write_or_lose(const char *line, size_t size);

// systemd gives a service a stream socket as standard error.
static bool is_stream_socket(int descriptor)
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

// Opens a pipe or a terminal once more, with O_NONBLOCK: the flag belongs to the open file
// description, and that of standard error may be shared with other programs. Returns standard error
// itself if that fails.
static int open_output(void)
{
    struct stat status;
    const bool may_fill =
        fstat(STDERR_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || isatty(STDERR_FILENO));
    const int own = may_fill ? open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                             : STDERR_FILENO;
    return own >= 0 ? own : STDERR_FILENO;
}

void log_init(void)
{
    // A redirection of standard error leaves the variable unchanged, so the file's device and inode
    // must match it: systemd.exec(5), $JOURNAL_STREAM.
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat status;
    uintmax_t device = 0;
    uintmax_t inode = 0;
    journal = stream != NULL && sscanf(stream, "%ju:%ju", &device, &inode) == 2 &&
              fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device &&
              status.st_ino == inode;
    output = open_output();
    structured = journal && is_stream_socket(STDERR_FILENO) && journal_open(JOURNAL_SOCKET);
}

bool log_is_journal(void)
{
    return journal;
}

void log_never_wait(void)
{
    max_wait_ms = 0;
}

void log_set_level(enum log_level level)
{
    max_level = (int)level;
}

enum log_level log_get_level(void)
{
    return (enum log_level)max_level;
}

// The length of a format's event: its words before the first one with a key or a conversion, or up
// to the first word that ends in a colon or semicolon.
static size_t event_bytes(const char *format)
{
    size_t bytes = 0;
    for (const char *word = format; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (memchr(word, '=', length) != NULL || memchr(word, '%', length) != NULL)
            break;
        bytes = (size_t)(word - format) + length;
        if (length > 0 && (format[bytes - 1] == ':' || format[bytes - 1] == ';'))
            return bytes - 1;
        word += length + (word[length] == ' ');
    }
    return bytes;
}

void log_write(enum log_level level, const struct log_subject *subject, const char *format, ...)
{
    if ((int)level > max_level && level != LOG_LEVEL_AUDIT)
        return;
    const int saved_errno = errno;
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        snprintf(text, sizeof text, "unprintable log message format=%s", format);
    va_end(arguments);
    char line[LINE_BYTES];
    const size_t start = write_prefix(line, sizeof line, level);
    size_t size = start + write_escaped(line + start, sizeof line - 1 - start, text);
    line[size] = '\0';
    const struct journal_entry entry = {.priority = (int)level,
                                        .message = line + start,
                                        .event = format,
                                        .event_bytes = event_bytes(format),
                                        .arena = subject->arena,
                                        .player = subject->player};
    const bool sent = structured && journal_send(&entry);
    line[size++] = '\n';
    if (!sent)
        write_or_lose(line, size);
    errno = saved_errno;
}

// Writes a line; false if there is no room within `wait_ms`. On a shared descriptor, which may
// block, poll ensures room for the line unless another program fills it first.
static bool write_line(const char *line, size_t size, int wait_ms)
{
    struct pollfd room = {.fd = output, .events = POLLOUT};
    if (poll(&room, 1, wait_ms) == 0)
        return false;
    ssize_t written;
    do
        written = write(output, line, size);
    while (written < 0 && errno == EINTR);
    return written >= 0 || errno != EAGAIN;
}

// Writes a line or counts it as lost. The first line after lost ones is preceded by their count.
static void write_or_lose(const char *line, size_t size)
{
    const uint32_t count = atomic_exchange(&lost, 0);
    if (count > 0) {
        char notice[LINE_BYTES];
        size_t notice_size = write_prefix(notice, sizeof notice, LOG_LEVEL_WARNING);
        notice_size += (size_t)snprintf(notice + notice_size, sizeof notice - notice_size,
                                        "log lost lines=%" PRIu32 ": nobody read the log\n", count);
        if (!write_line(notice, notice_size, 0)) {
            atomic_fetch_add(&lost, count + 1);
            return;
        }
    }
    if (!write_line(line, size, max_wait_ms))
        atomic_fetch_add(&lost, 1);
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

// Copies the text with control characters escaped, so that it cannot begin a new line or control a
// terminal. A text that does not fit is cut between characters and ends in "...".
static size_t write_escaped(char *line, size_t capacity, const char *text)
{
    static const char mark[] = "...";
    const size_t room = capacity - (sizeof mark - 1);
    size_t size = 0;
    size_t cut = 0; // the last position where the mark fits and no character is split
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

static const struct {
    enum log_level level;
    const char *name;
} levels[] = {
    {LOG_LEVEL_ERROR, "error"},
    {LOG_LEVEL_WARNING, "warning"},
    {LOG_LEVEL_INFO, "info"},
    {LOG_LEVEL_AUDIT, "audit"},
};

const char *log_level_name(enum log_level level)
{
    size_t i = 0;
    while (levels[i].level != level)
        i++;
    return levels[i].name;
}

bool log_level_find(const char *name, enum log_level *level)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (levels[i].level != LOG_LEVEL_AUDIT && strcmp(levels[i].name, name) == 0) {
            *level = levels[i].level;
            return true;
        }
    return false;
}
