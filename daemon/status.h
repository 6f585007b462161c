// SPDX-License-Identifier: MIT
// The status as JSON: what `GET /status` and `GET /healthz` answer.
#pragma once

#include "arena.h"
#include "bans.h"

#include <stdint.h>

// The arenas that run and since when; borrowed.
struct status_source {
    struct arena **arenas;
    int arena_count;
    uint32_t workers;
    uint64_t started_ms; // CLOCK_MONOTONIC
};

// A JSON document as a NUL-terminated string that the caller frees, or NULL when memory runs out.
char *status_json(const struct status_source *source, uint64_t now_ms);

// For the operator alone, since addresses are in it: {"players": [...]}; likewise.
char *status_players_json(const struct status_source *source);

// {"bans": [...]}, without those that are over; likewise. Takes NULL for no bans.
char *status_bans_json(const struct bans *bans, int64_t now_s);

// {"status": "ok", "uptime_s": ...}; likewise.
char *status_health_json(const struct status_source *source, uint64_t now_ms);
