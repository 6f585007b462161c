// SPDX-License-Identifier: MIT
// What the status and the metrics show of the orchestrator (Agones). Main thread only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct orchestrator_report {
    const char *phase;   // of raimd: "connecting", "starting", "serving", "draining", ...
    const char *state;   // of the GameServer: "Ready", "Allocated", ...; "": unknown
    const char *name;    // of the GameServer; "": unknown
    bool is_connected;   // the SDK server answered the last request
    bool is_watching;    // the watch stream is open
    uint32_t rooms;      // running, or being made
    uint64_t accepted;   // requests answered with 200
    uint64_t refused;    // requests answered with another status
    uint64_t unanswered; // requests without an answer in time
    uint64_t updates;    // objects that came over the watch stream
    uint64_t malformed;  // answers, updates and requests for rooms that could not be read
};
