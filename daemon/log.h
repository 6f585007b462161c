// SPDX-License-Identifier: MIT
// The daemon's log: one line per change of state on standard error, lower case, key=value. Under
// the journal a line begins with its <N> priority, elsewhere with a UTC timestamp. Thread-safe:
// every line is one write.
#pragma once

#include <stdbool.h>

// Looks once whether standard error is the journal. Call it before any thread starts.
void log_init(void);

// What log_init found.
bool log_is_journal(void);

__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);
