// SPDX-License-Identifier: MIT
// The status as JSON: what `GET /status` and `GET /healthz` answer.
#pragma once

#include "arena.h"

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

// {"status": "ok", "uptime_s": ...}; likewise.
char *status_health_json(const struct status_source *source, uint64_t now_ms);
