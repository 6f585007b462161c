// SPDX-License-Identifier: MIT
// The daemon's log: one line per change of state, lower case, key=value. A line goes to the journal
// with its fields (journal.h), or, if the journal's socket cannot be reached, to standard error
// with its <N> priority first. Without a journal, a line begins with a UTC timestamp. Any thread:
// every line is one write.
//
//     log_info("status started url=http://%s:%u/status", address, port);
//     log_arena_info(name, "arena ended arena=%s port=%u", name, port);
#pragma once

#include <stdbool.h>

// The severities of syslog(3), which are also the journal's <N>: a smaller one is more severe.
enum log_level {
    LOG_LEVEL_ERROR = 3,
    LOG_LEVEL_WARNING = 4,
    LOG_LEVEL_AUDIT = 5, // who ordered what: written whatever level is set
    LOG_LEVEL_INFO = 6,
};

const char *log_level_name(enum log_level level);

// Finds a level that can be set; false, with `level` unchanged, if there is none of this name.
bool log_level_find(const char *name, enum log_level *level);

// The valid names, for error messages.
#define LOG_LEVEL_WANT "\"error\", \"warning\" or \"info\""

// Detects whether standard error is the journal. Call it before any thread starts.
void log_init(void);

// Disables waiting for the calling thread. By default a line that finds no room, because the log is
// not read, is lost after a tenth of a second, and the lines after it are lost at once. The next
// line that finds room is preceded by the number of lost lines.
void log_never_wait(void);

// Whether log_init has found that standard error is the journal.
bool log_is_journal(void);

// Sets the least severe level that is written. Initially LOG_LEVEL_INFO. LOG_LEVEL_AUDIT is always
// written.
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

// The subject of a line, for the journal's fields ARENA and PLAYER. NULL and "" omit a field. The
// line's text names its subject too, for logs outside the journal.
struct log_subject {
    const char *arena;  // a name
    const char *player; // an id
};

// Writes a line. The journal's field EVENT is the beginning of the format, up to its first key,
// conversion, colon or semicolon: "arena started" of "arena started arena=%s". It is taken from the
// format, never from values, which players and operators may choose.
__attribute__((format(printf, 3, 4))) void
log_write(enum log_level level, const struct log_subject *subject, const char *format, ...);

#define log_error(...) log_write(LOG_LEVEL_ERROR, &(struct log_subject){0}, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, &(struct log_subject){0}, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, &(struct log_subject){0}, __VA_ARGS__)

// Write a line about the arena of this name. Use them for every line that names an arena.
#define log_arena_error(name, ...)                                                                 \
    log_write(LOG_LEVEL_ERROR, &(struct log_subject){.arena = (name)}, __VA_ARGS__)
#define log_arena_warning(name, ...)                                                               \
    log_write(LOG_LEVEL_WARNING, &(struct log_subject){.arena = (name)}, __VA_ARGS__)
#define log_arena_info(name, ...)                                                                  \
    log_write(LOG_LEVEL_INFO, &(struct log_subject){.arena = (name)}, __VA_ARGS__)
