// SPDX-License-Identifier: MIT
// Cache of an arena's A2S replies: a reply is written on demand and reused for
// A2S_CACHE_MAX_AGE_MS, so that any number of queries costs at most ten replies of each kind a
// second.
#pragma once

#include "a2s_reply.h"
#include "config.h"
#include "match.h"

#include <stddef.h>
#include <stdint.h>

#define A2S_CACHE_MAX_AGE_MS 100

// The data that the replies describe. Everything is borrowed.
struct a2s_cache_subject {
    const struct config_arena *config;
    uint16_t port;
    const struct raim_match *match;
    struct raim_match_player *rows; // scratch memory for the players
    uint32_t row_count;             // rows
};

struct a2s_cached_reply {
    int64_t written_ms;
    size_t size; // 0: never written
    uint8_t bytes[A2S_MAX_REPLY];
};

// Initialized with zeros.
struct a2s_cache {
    struct a2s_cached_reply kinds[QUERY_KINDS];
};

// The reply to a query of this kind, which is not QUERY_NONE; valid until the next call.
const struct a2s_cached_reply *a2s_cache_get(struct a2s_cache *cache,
                                             const struct a2s_cache_subject *subject,
                                             enum query_kind kind, int64_t now_ms);
