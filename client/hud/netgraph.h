// SPDX-License-Identifier: MIT
// Network graph: the quality of the connection and the frame times over the last seconds, as curves
// and numbers.
#pragma once

#include "client.h"
#include "frame_times.h"
#include "ui.h"

enum { NETGRAPH_SAMPLES = 120, NETGRAPH_HZ = 12, NETGRAPH_CURVES = 8 };

// Start from all zero.
struct netgraph {
    double next_s;           // when to take the next sample
    uint64_t mispredictions; // total at the last sample
    double correction_units; // error of the last misprediction
    double late_percent;     // share of the last samples with an input that came too late
    struct frame_summary frames;
    uint32_t count; // samples ever taken; `samples` is a ring
    float samples[NETGRAPH_SAMPLES][NETGRAPH_CURVES];
};

// Takes a sample if one is due: of the connection, and of the times of the last frames.
void netgraph_look(struct netgraph *graph, double now_s, const struct raim_client_quality *quality,
                   const struct frame_times *frames);

// Draws the graph inside a box, in as many columns as it has room for.
void netgraph_draw(const struct netgraph *graph, const struct ui *ui, raim_box box);
