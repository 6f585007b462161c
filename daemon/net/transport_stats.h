// SPDX-License-Identifier: MIT
// What a transport counts, from when it was opened.
#pragma once

#include "datagram.h"

#include <stdint.h>

struct transport_stats {
    uint64_t bytes_in, bytes_out; // UDP payload
    uint64_t packets_in, packets_out;
    uint64_t send_errors;     // datagrams that the kernel did not take
    uint64_t overflows;       // peers dropped that acknowledged too little, or nothing any more
    uint64_t queries;         // answered, be it with a challenge
    uint64_t queries_limited; // dropped as too many
    uint64_t refused[DATAGRAM_VERDICTS];
};
