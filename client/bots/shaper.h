// SPDX-License-Identifier: MIT
// A worse network for this process: delays and loses the datagrams of all its sockets, both ways.
// It takes the place of the C library's sendmsg and recvmsg, which is all that ENet moves datagrams
// by; until it is switched on it hands everything through.
// Thread rule: one thread sends and receives.
#pragma once

#include <stdint.h>

struct shaper_def {
    double latency_s; // of a round trip, half of it each way
    double
        jitter_s;  // each way takes up to so much longer, evenly spread; what is late is overtaken
    double loss;   // share lost each way, 0 to 1
    uint64_t seed; // of chance
};

// Switches it on for everything from now on.
void shaper_start(const struct shaper_def *def);

// Sends what has waited long enough. Call it every millisecond or so.
void shaper_flush(void);
