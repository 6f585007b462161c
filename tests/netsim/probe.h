// SPDX-License-Identifier: MIT
// What a transport measures of a line: the round trips of a reliable command each half second, in
// whole ticks, as a server that reads its socket once a tick has them; like ENet's pings.
#pragma once

#include "network.h"

#include <stdint.h>

enum { PROBE_SAMPLES = 2 }; // of the last second

struct probe {
    uint32_t tick_hz;
    uint64_t random;
    uint32_t wait_ticks; // until the next one is sent
    double rtt_ms[PROBE_SAMPLES];
    uint32_t count; // of all so far
    double mean_ms, deviation_ms;
};

void probe_init(struct probe *probe, uint32_t tick_hz, uint64_t seed);

// Once a tick; the answer of a probe counts at once.
void probe_step(struct probe *probe, const struct network_line *line, double held_ms);

// The least of the last second; UINT32_MAX: none yet.
uint32_t probe_rtt_ms(const struct probe *probe);
