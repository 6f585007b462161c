// SPDX-License-Identifier: MIT
// The status as JSON: what `GET /status`, `/arenas/NAME`, `/healthz` and `/readyz` answer.
#pragma once

#include "arena_list.h"
#include "bans.h"
#include "reload_report.h"

#include <stdbool.h>
#include <stdint.h>

// A JSON document as a NUL-terminated string that the caller frees, or NULL when memory runs out.
char *status_json(const struct arena_list *list, uint64_t now_ms);

// For the operator alone, since addresses are in it: {"players": [...]}; likewise.
char *status_players_json(const struct arena_list *list);

// {"bans": [...]}, without those that are over; likewise. Takes NULL for no bans.
char *status_bans_json(const struct bans *bans, int64_t now_s);

// {"error": ...}; likewise.
char *status_problem_json(const char *error);

// {"applied": [...], "restart": [...], "warnings": [...]} or, where there are mistakes, {"error":
// ..., "mistakes": [...], "warnings": [...]}; likewise.
char *status_outcome_json(const struct reload_report *report);

// {"status": "ok", "uptime_s": ...}, "overloaded" while an arena is; likewise.
char *status_health_json(const struct arena_list *list, uint64_t now_ms);

// An arena is ready while its newest tick is younger than this, which is ten ticks at the slowest
// rate that can be configured.
#define STATUS_READY_MS 1000U

// The nearest rank: the shortest of the newest ticks that `percent` of them, 1 to 100, do not
// exceed, in us; 0 before the first.
uint32_t status_tick_us(const struct arena_status *status, uint32_t percent);

// The arena's object of the status, or NULL when there is no such arena, which sets `missing`, or
// memory runs out.
char *status_arena_json(const struct arena_list *list, const char *name, bool *missing);

// Whether every arena has ticked lately and keeps up, and the reason; likewise.
char *status_ready_json(const struct arena_list *list, uint64_t now_ms, bool *ready);
