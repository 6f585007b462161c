// SPDX-License-Identifier: MIT
// The daemon's log: one line per change of state, lower case, key=value. The journal gets a line
// with its fields (journal.h) or, where it cannot be reached, one that begins with its <N> priority
// on standard error; elsewhere a line begins with a UTC timestamp. Thread-safe: every line is one
// write.
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

__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);
