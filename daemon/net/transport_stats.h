// SPDX-License-Identifier: MIT
// Counters of a transport since it was opened.
#pragma once

#include "datagram.h"
#include "metric.h"

#include <stdint.h>

struct transport_stats {
    uint64_t bytes_in, bytes_out; // UDP payload
    uint64_t packets_in, packets_out;
    uint64_t send_errors;     // datagrams that the kernel rejected
    uint64_t overflows;       // peers dropped for too many queued bytes or missing acknowledgements
    uint64_t queries;         // answered, with a challenge or a reply
    uint64_t queries_limited; // dropped by the rate limit
    uint64_t announcements;   // of gateways, taken
    uint64_t rejected[DATAGRAM_VERDICTS];
};

extern const struct metric_table transport_metrics; // of a struct transport_stats
