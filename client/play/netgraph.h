// SPDX-License-Identifier: MIT
// Network graph: the quality of the connection over the last seconds, as curves and numbers.
#pragma once

#include "client.h"
#include "ui.h"

enum { NETGRAPH_SAMPLES = 120, NETGRAPH_HZ = 12, NETGRAPH_CURVES = 6 };

// Start from all zero.
struct netgraph {
    double next_s;           // when to take the next sample
    uint64_t mispredictions; // total at the last sample
    double correction_units; // error of the last misprediction
    uint32_t count;          // samples ever taken; `samples` is a ring
    float samples[NETGRAPH_SAMPLES][NETGRAPH_CURVES];
};

// Takes a sample if one is due.
void netgraph_look(struct netgraph *graph, double now_s, const struct raim_client_quality *quality);

// Draws the graph at the bottom right.
void netgraph_draw(const struct netgraph *graph, const struct ui *ui);
