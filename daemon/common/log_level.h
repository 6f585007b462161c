// SPDX-License-Identifier: MIT
// How grave a line of the log is, by number and by name.
#pragma once

#include <stdbool.h>

// The severities of syslog(3), which are also the journal's <N>: the smaller, the graver.
enum log_level {
    LOG_LEVEL_ERROR = 3,
    LOG_LEVEL_WARNING = 4,
    LOG_LEVEL_INFO = 6,
};

const char *log_level_name(enum log_level level);

// The level of that name; false, and `level` as it was, where there is none.
bool log_level_find(const char *name, enum log_level *level);

// The names, in words.
#define LOG_LEVEL_WANT "\"error\", \"warning\" or \"info\""
