// SPDX-License-Identifier: MIT
// Network simulator of this process: delays and drops the datagrams of all its sockets, both ways.
// It replaces the C library's sendmsg and recvmsg, which ENet uses for every datagram. Until
// shaper_start it passes everything through.
// Thread rule: one thread sends and receives.
#pragma once

#include <stdint.h>

struct shaper_def {
    double latency_s; // added to a round trip, half of it each way
    double jitter_s;  // largest random delay each way, uniformly distributed; may reorder datagrams
    double loss;      // share lost each way, 0 to 1
    uint64_t seed;    // of the random numbers
};

// Switches the simulator on for all datagrams from now on.
void shaper_start(const struct shaper_def *def);

// Receives from all sockets that have sent, and delivers the datagrams that are due. Call it about
// every millisecond: delays are exact to one call.
void shaper_flush(void);
