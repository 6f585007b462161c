// SPDX-License-Identifier: MIT
// The names of the kinds, as events, keys and documents have them.
#include "event_kinds.h"

#include <string.h>

static const char *const names[EVENT_KINDS] = {
    [EVENT_START] = "start",
    [EVENT_STOP] = "stop",
    [EVENT_JOIN] = "join",
    [EVENT_LEAVE] = "leave",
    [EVENT_CHAT] = "chat",
    [EVENT_KILL] = "kill",
    [EVENT_ROUND_ENDED] = "round_ended",
    [EVENT_VOTE] = "vote",
    [EVENT_BAN] = "ban",
    [EVENT_UNBAN] = "unban",
    [EVENT_COMMAND] = "command",
    [EVENT_OVERLOAD] = "overload",
    [EVENT_RELOAD] = "reload",
};

const char *event_kind_name(enum event_kind kind)
{
    return names[kind];
}

bool event_kind_find(const char *name, enum event_kind *kind)
{
    for (int i = 0; i < EVENT_KINDS; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = (enum event_kind)i;
            return true;
        }
    return false;
}
