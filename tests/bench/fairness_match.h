// SPDX-License-Identifier: MIT
// Fairness of interest management in a match of bots with latency: compares what each was sent with
// what it saw and what it could have come to see.
#pragma once

#include "map.h"
#include "rules.h"

#include <stdbool.h>
#include <stdint.h>

#define FAIRNESS_LATENCIES 3 // round trips of 20, 80 and 150 ms
#define FAIRNESS_MAX_PLAYERS 96

struct fairness_def {
    const struct raim_map *map; // borrowed
    raim_rules rules;
    uint32_t players; // 3 to FAIRNESS_MAX_PLAYERS, by turns at each latency
    uint32_t ticks;   // that are judged, after two seconds that are not
    uint64_t seed;
    uint32_t explained; // so many late reveals and so many leaks are printed to stdout
};

// Counts of triples of a viewer, another entity and a tick.
struct fairness_tally {
    uint64_t told;   // it is in the viewer's snapshot
    uint64_t plain;  // of these: on the viewer's screen if that had no latency
    uint64_t soon;   // not, but legal motions could bring it there in time
    uint64_t leaks;  // not even these
    uint64_t wrong;  // there is no such thing, or not there
    uint64_t inside; // it is within the viewer's rectangle, told or not
    uint64_t hidden; // of these: behind obstacles
    uint64_t hidden_sent;

    uint64_t reveals; // it has come onto the screen
    uint64_t late;    // of these: it is not in the snapshot that the screen shows
    uint64_t jumps;   // not among these: one of the two rose, fell or joined in between
};

// The fairness to the viewers of one latency.
struct fairness_row {
    uint32_t rtt_ms;
    uint32_t loop_ticks; // the round trip and 50 ms of interpolation
    uint64_t viewer_ticks;
    struct fairness_tally players, bullets;
};

// Plays and judges. False when memory is short or a client is cut off.
bool fairness_play(const struct fairness_def *def, struct fairness_row rows[FAIRNESS_LATENCIES]);
