// SPDX-License-Identifier: MIT
// How good the connection has been over the last seconds, as curves and numbers.
#pragma once

#include "client.h"
#include "ui.h"

enum { NETGRAPH_SAMPLES = 120, NETGRAPH_HZ = 12, NETGRAPH_CURVES = 6 };

// Start from all zero.
struct netgraph {
    double next_s;           // when to take the next sample
    uint64_t mispredictions; // until the last one
    double correction_units; // the last one
    uint32_t count;          // of samples ever taken
    float samples[NETGRAPH_SAMPLES][NETGRAPH_CURVES];
};

// Takes a sample when it is time to.
void netgraph_look(struct netgraph *graph, double now_s, const struct raim_client_quality *quality);

// At the bottom right.
void netgraph_draw(const struct netgraph *graph, const struct ui *ui);
