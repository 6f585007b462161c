// SPDX-License-Identifier: MIT
// The table of levels.
#include "log_level.h"

#include <stddef.h>
#include <string.h>

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
