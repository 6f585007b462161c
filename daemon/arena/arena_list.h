// SPDX-License-Identifier: MIT
// The running arenas and their workers, for the modules that read their status or send them
// commands. Main thread only.
#pragma once

#include "arena.h"
#include "config.h"
#include "orchestrator_report.h"
#include "overload.h"
#include "recorder.h"
#include "worker.h"

#include <stdbool.h>
#include <stdint.h>

// What rooms.h counts, for the status.
struct arena_list_rooms {
    uint32_t now;               // rooms that have not ended
    uint32_t free;              // that could be made
    uint64_t made, ended;       // since the start
    uint64_t refused;           // requests for a room
    struct histogram creations; // durations from a request to its answer
};

// What control_tcp.h counts, for the metrics: since the start.
struct arena_list_control {
    uint64_t limited;       // connections that began too fast
    uint64_t logins_denied; // wrong passwords of RCON and of admins, and those that were not tried
    uint64_t denied; // requests without the token or certificate, or from a page of a browser
};

// What results.h counts, for the status: since the start.
struct arena_list_results {
    uint64_t written; // results of rounds
    uint64_t lost;    // that could not be written
};

// What lan_discovery.h counts, for the status: requests since the start.
struct arena_list_discovery {
    bool is_on;
    uint64_t answered;
    uint64_t limited; // beyond the rate
    uint64_t refused; // from beyond a router, or malformed
};

// Where the master servers are, for the status.
struct arena_list_masters {
    const struct config_masters *masters; // NULL: none
    int addresses[CONFIG_MAX_MASTERS];    // of each; 0: not resolved
};

// What event_hook.h counts, for the metrics: since the start.
struct arena_list_hook {
    bool is_on;
    uint64_t delivered; // events that the hook has accepted
    uint64_t failures;  // attempts that failed
    uint64_t dropped;   // events that it refused, or that became too old while it failed
    uint64_t waiting;   // events, now
};

// What ban_source.h fetches, for the status.
#define ARENA_LIST_ERROR_BYTES 256
struct arena_list_ban_list {
    bool is_on;          // an URL is configured
    uint32_t count;      // networks in force
    uint64_t fetched_ms; // CLOCK_MONOTONIC, when it was last seen to be the newest; 0: never
    uint64_t failures;   // since the start
    char error[ARENA_LIST_ERROR_BYTES]; // of the last attempt; "": it succeeded
};

struct arena_list {
    int count;
    struct arena *arenas[CONFIG_MAX_ARENAS]; // in the order of the status
    int worker_count;
    struct worker **workers;
    struct worker_load loads[CONFIG_MAX_WORKERS]; // of the workers
    uint64_t unread_state_lines;                  // of files in the state directory, see store.h
    uint64_t lost_state_changes;                  // see store_lost
    uint64_t started_ms;                          // CLOCK_MONOTONIC
    struct arena_list_rooms rooms;
    struct arena_list_control control;
    struct recordings *recordings; // the recorder's; NULL: none
    struct recorder *recorder;     // NULL: nothing is recorded
    struct arena_list_results results;
    struct process_usage *process; // of common/process_usage.h; NULL: unknown
    struct last_hour *last_hour;   // of the arenas, of http/last_hour.h; NULL: none
    struct arena_list_masters masters;
    struct arena_list_discovery discovery;
    struct arena_list_hook hook;
    struct arena_list_ban_list ban_list;
    const struct orchestrator_report *orchestrator; // NULL: none
};

// The index of the running arena of this name, or -1.
int arena_list_find(const struct arena_list *list, const char *name);

// The index of an arena, or -1. The pointer is only compared; the arena may have been destroyed.
int arena_list_index(const struct arena_list *list, const struct arena *arena);
