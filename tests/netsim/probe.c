// SPDX-License-Identifier: MIT
// Measures round trips like a transport.
#include "probe.h"

#include "random.h"

#include <math.h>

void probe_init(struct probe *probe, uint32_t tick_hz, uint64_t seed)
{
    *probe = (struct probe){.tick_hz = tick_hz, .random = seed};
}

// A part of `most`, evenly spread.
static double part_of(struct probe *probe, double most)
{
    return most * (double)raim_random_below(&probe->random, 1 << 16) / (1 << 16);
}

void probe_step(struct probe *probe, const struct network_line *line, double held_ms)
{
    if (probe->wait_ticks > 0) {
        probe->wait_ticks--;
        return;
    }
    probe->wait_ticks = probe->tick_hz / PROBE_SAMPLES - 1;
    const double tick_ms = 1000.0 / probe->tick_hz;
    const double way_ms = 2 * line->latency_ms + part_of(probe, line->jitter_ms) +
                          part_of(probe, line->jitter_ms) + held_ms;
    const double rtt_ms = tick_ms * fmax(1, ceil(way_ms / tick_ms));
    probe->rtt_ms[probe->count % PROBE_SAMPLES] = rtt_ms;
    // As ENet smooths them.
    if (probe->count++ == 0) {
        probe->mean_ms = rtt_ms;
        probe->deviation_ms = rtt_ms / 2;
        return;
    }
    probe->deviation_ms += (fabs(rtt_ms - probe->mean_ms) - probe->deviation_ms) / 4;
    probe->mean_ms += (rtt_ms - probe->mean_ms) / 8;
}

uint32_t probe_rtt_ms(const struct probe *probe)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < PROBE_SAMPLES && i < probe->count; i++)
        least = fmin(least, probe->rtt_ms[i]);
    return probe->count > 0 ? (uint32_t)(least + 0.5) : UINT32_MAX;
}
