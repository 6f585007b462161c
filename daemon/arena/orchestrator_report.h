// SPDX-License-Identifier: MIT
// What the status and the metrics show of the orchestrator (Agones). Main thread only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Requests to the SDK server of one kind, since its first answer.
struct orchestrator_requests {
    const char *kind;    // as in the log
    uint64_t accepted;   // answered with 200
    uint64_t refused;    // answered with another status
    uint64_t unanswered; // without an answer in time
};

struct orchestrator_report {
    const char *phase; // of raimd: "connecting", "starting", "serving", "draining", ...
    const char *state; // of the GameServer: "Ready", "Allocated", ...; "": unknown
    const char *name;  // of the GameServer; "": unknown
    bool is_connected; // the SDK server answered one of the last two requests
    bool is_watching;  // the watch stream is open
    uint32_t rooms;    // running, or being made
    const struct orchestrator_requests *requests;
    int kinds;          // of requests
    uint64_t updates;   // objects that came over the watch stream
    uint64_t malformed; // answers, updates and requests for rooms that could not be read
};
