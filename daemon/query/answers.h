// SPDX-License-Identifier: MIT
// What an arena answers to queries: written when somebody asks, and kept for a tenth of a second,
// so that many who ask cost as much as ten a second.
#pragma once

#include "config.h"
#include "match.h"
#include "query.h"

#include <stddef.h>
#include <stdint.h>

#define ANSWERS_MAX_AGE_MS 100

// Whom the answers are about. Everything is borrowed.
struct answers_subject {
    const struct config_arena *config;
    uint16_t port;
    const struct raim_match *match;
    struct raim_match_player *rows; // room for the players
    uint32_t places;                // rows
};

struct answer {
    int64_t written_ms;
    size_t size; // 0: never written
    uint8_t bytes[QUERY_MAX_REPLY];
};

// All zero at first.
struct answers {
    struct answer kinds[QUERY_KINDS];
};

// The reply to a query, not QUERY_NONE; valid until the next call.
const struct answer *answers_get(struct answers *answers, const struct answers_subject *subject,
                                 enum query_kind kind, int64_t now_ms);
