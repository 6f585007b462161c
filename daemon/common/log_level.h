// SPDX-License-Identifier: MIT
// Log levels, by number and by name.
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
