// SPDX-License-Identifier: MIT
// JSON documents of `GET /status`, `/arenas/NAME`, `/healthz` and `/readyz`, and of the control
// socket. Each function returns a NUL-terminated string that the caller frees, or NULL when memory
// runs out. Main thread only.
#pragma once

#include "arena_list.h"
#include "bans.h"
#include "metric.h"
#include "reload_report.h"

#include <stdbool.h>
#include <stdint.h>

// What the documents of the status and the metrics are made of. Main thread only.

struct last_hour;
struct loop;
struct process_usage;

// All borrowed.
struct status_view {
    const struct arena_list *list;
    const struct metric_source *sources; // of the modules that belong to no arena
    int source_count;
    uint64_t started_ms;           // CLOCK_MONOTONIC
    struct last_hour *last_hour;   // NULL: none
    struct process_usage *process; // NULL: unknown
    const char *page;              // in which the game runs in a browser; NULL: none
};

// Begins the last hour, which the loop runs, and opens the process's usage: call it before the
// sandbox closes /proc. Sets all members but the sources. What cannot be opened is NULL.
void status_view_open(struct status_view *view, const struct arena_list *list, struct loop *loop);
void status_view_close(struct status_view *view);

// The status of all arenas, see status.schema.json.
char *status_json(const struct status_view *view, uint64_t now_ms);

// {"players": [...]} with addresses, for the control socket only.
char *status_players_json(const struct arena_list *list);

// {"maps": [...]}, the paths of the map files that a configuration names, for the control only.
char *status_maps_json(const struct config *config);

// {"bans": [...]} without expired bans. NULL means no bans. `now_s` is in seconds since 1970.
char *status_bans_json(const struct bans *bans, int64_t now_s);

// {"error": ...}.
char *status_problem_json(const char *error);

// {"applied": [...], "restart": [...], "warnings": [...]} or, with mistakes, {"error": ...,
// "mistakes": [...], "warnings": [...]}.
char *status_reload_json(const struct reload_report *report);

// {"status": "ok", "uptime_s": ...}; the status is "overloaded" while any arena is.
char *status_health_json(const struct status_view *view, uint64_t now_ms);

// An arena is ready while its newest tick is younger than this: ten ticks at the lowest tick rate.
#define STATUS_READY_MS 1000U

// Percentile (nearest rank, 1 to 100) of the newest tick durations in us; 0 before the first tick.
uint32_t status_tick_us(const struct arena_status *status, uint32_t percent);

// The arena's object of the status. Returns NULL and sets `missing` if there is no such arena.
char *status_arena_json(const struct arena_list *list, const char *name, bool *missing);

// Whether every arena has ticked within STATUS_READY_MS and none is overloaded, with the reason. A
// server whose arenas are in time is ready, but "degraded" while a worker is overloaded, or while a
// row with a defect (see metric.h) is not 0.
// Sets `ready` to the result.
char *status_ready_json(const struct status_view *view, uint64_t now_ms, bool *ready);
