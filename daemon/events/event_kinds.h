// SPDX-License-Identifier: MIT
// The kinds of the server's events.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
    EVENT_START,
    EVENT_STOP,
    EVENT_JOIN,
    EVENT_LEAVE,
    EVENT_CHAT,
    EVENT_KILL,
    EVENT_ROUND_ENDED,
    EVENT_VOTE,
    EVENT_BAN,
    EVENT_UNBAN,
    EVENT_COMMAND,
    EVENT_OVERLOAD,
    EVENT_RELOAD,
    EVENT_KINDS
};

// A set of kinds has the bit 1 << kind for each.
#define EVENT_KINDS_ALL ((UINT32_C(1) << EVENT_KINDS) - 1)
// Chat and kills are many, and what players say is theirs: they are events only where wanted.
#define EVENT_KINDS_USUAL                                                                          \
    (EVENT_KINDS_ALL & ~(UINT32_C(1) << EVENT_CHAT) & ~(UINT32_C(1) << EVENT_KILL))

const char *event_kind_name(enum event_kind kind);

// Returns false for another text.
bool event_kind_find(const char *name, enum event_kind *kind);
