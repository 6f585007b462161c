// SPDX-License-Identifier: MIT
// The daemon's log: one line per change of state, lower case, key=value. The journal gets a line
// with its fields (journal.h) or, where it cannot be reached, one that begins with its <N> priority
// on standard error; elsewhere a line begins with a UTC timestamp. Thread-safe: every line is one
// write.
//
//     log_info("status started url=http://%s:%u/status", address, port);
//     log_arena_info(name, "arena ended name=%s port=%u", name, port);
#pragma once

#include "log_level.h"

#include <stdbool.h>

// Looks once whether standard error is the journal. Call it before any thread starts.
void log_init(void);

// A line that finds no room, because nobody reads the log, is lost after a tenth of a second, and
// those that follow at once; the next that finds room is told how many. After this call, none of
// the calling thread waits at all.
void log_never_wait(void);

// What log_init found.
bool log_is_journal(void);

// Lines that are less grave are not written from now on; at first every line is.
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

// What a line is about, for the journal's fields of these names. NULL and "" leave a field out. The
// line itself names its subject, too: not everybody reads the log in the journal.
struct log_subject {
    const char *arena;  // a name
    const char *player; // an id
};

// Writes a line. The journal's field EVENT is what the format begins with, up to its first key,
// conversion, colon or semicolon: "arena started" of "arena started name=%s". Nothing is searched
// for in values, which players and operators may have chosen.
__attribute__((format(printf, 3, 4))) void
log_write(enum log_level level, const struct log_subject *subject, const char *format, ...);

#define log_error(...) log_write(LOG_LEVEL_ERROR, &(struct log_subject){0}, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, &(struct log_subject){0}, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, &(struct log_subject){0}, __VA_ARGS__)

// Writes a line about the arena of this name. Every line that names an arena is written so.
#define log_arena_error(name, ...)                                                                 \
    log_write(LOG_LEVEL_ERROR, &(struct log_subject){.arena = (name)}, __VA_ARGS__)
#define log_arena_warning(name, ...)                                                               \
    log_write(LOG_LEVEL_WARNING, &(struct log_subject){.arena = (name)}, __VA_ARGS__)
#define log_arena_info(name, ...)                                                                  \
    log_write(LOG_LEVEL_INFO, &(struct log_subject){.arena = (name)}, __VA_ARGS__)
