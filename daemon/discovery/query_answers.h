// SPDX-License-Identifier: MIT
// Cache of an arena's A2S replies: a reply is written on demand and reused for ANSWERS_MAX_AGE_MS,
// so that any number of queries costs at most ten replies of each kind a second.
#pragma once

#include "config.h"
#include "match.h"
#include "query.h"

#include <stddef.h>
#include <stdint.h>

#define ANSWERS_MAX_AGE_MS 100

// The data that the replies describe. Everything is borrowed.
struct answers_subject {
    const struct config_arena *config;
    uint16_t port;
    const struct raim_match *match;
    struct raim_match_player *rows; // scratch memory for the players
    uint32_t row_count;             // rows
};

struct answer {
    int64_t written_ms;
    size_t size; // 0: never written
    uint8_t bytes[QUERY_MAX_REPLY];
};

// Initialized with zeros.
struct answers {
    struct answer kinds[QUERY_KINDS];
};

// The reply to a query of this kind, which is not QUERY_NONE; valid until the next call.
const struct answer *answers_get(struct answers *answers, const struct answers_subject *subject,
                                 enum query_kind kind, int64_t now_ms);
