// SPDX-License-Identifier: MIT
// What the gateway counts: the members of its status.
#pragma once

#include "metric.h"

#include <stdint.h>

struct web_counts {
    uint64_t connections, handshaking, sessions; // now
    uint64_t handshakes, sessions_total;
    uint64_t packets_in, packets_out;     // of QUIC
    uint64_t datagrams_in, datagrams_out; // of players, to and from arenas
    uint64_t retries, versions, resets, displaced;
    // Rejected connections, by reason.
    uint64_t rejected_full, rejected_address, rejected_network, rejected_rate, rejected_token,
        rejected_request, rejected_path;
    // Dropped packets and datagrams, by reason.
    uint64_t dropped_malformed, dropped_early, dropped_large, dropped_rate, dropped_congested,
        dropped_unsent;
};

extern const struct metric_table web_metrics;
