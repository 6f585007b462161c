// SPDX-License-Identifier: MIT
// A client's round trip as the server measures it by itself, and how old a view of the arena that
// allows. Two measurements count, and of both the least within a second: by which tick the first
// INPUT that acknowledges a snapshot arrives, and the transport's, from a reliable command to its
// acknowledgement. A client can only make its round trip seem longer, by holding answers back; to
// do so it must hold back every answer, in both measurements, for a second and more.
// The least of several samples follows BBR's min_rtt filter (Cardwell et al., 2016).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RAIM_REWIND_LIMIT_PARTS 8   // of the second of which the least counts
#define RAIM_REWIND_LIMIT_SCALE 128 // parts of a tick in which jitter is kept

// Zeroed, nothing is known. Delays are in ticks and miss what a tick's waiting adds: 0 is an answer
// that arrived before the next tick was played.
struct raim_rewind_limit {
    uint32_t delays[RAIM_REWIND_LIMIT_PARTS]; // the least of each part of a second, plus 1; 0: none
    uint32_t part;                            // the newest of them
    uint32_t part_ticks;                      // that it has lasted
    int32_t median;                           // of the delays, in parts of a tick
    bool is_acked;                            // a snapshot was acknowledged, ever

    uint32_t transport_left;   // ticks for which the transport's word still holds
    uint32_t transport_delay;  // ticks
    uint32_t transport_jitter; // parts of a tick: four mean deviations, as RFC 6298 has it

    bool is_known;         // `allowed` is
    uint32_t allowed;      // see raim_rewind_limit_view
    uint32_t growth_ticks; // since it last grew
};

// Once a tick, before the tick's messages count.
void raim_rewind_limit_step(struct raim_rewind_limit *rewind_limit, uint32_t tick_hz);

// A snapshot is acknowledged for the first time, so many ticks after it was made.
void raim_rewind_limit_acknowledge(struct raim_rewind_limit *rewind_limit, uint32_t delay_ticks);

// The transport's word: see raim_match_measure.
void raim_rewind_limit_measure(struct raim_rewind_limit *rewind_limit, uint32_t rtt_ms,
                               uint32_t deviation_ms, uint32_t tick_hz);

// Ticks from the one that a client can have been shown to the one in which its input arrives, at
// most: the round trip, the wait for a snapshot on the other side of what is shown, and the jitter,
// up to RAIM_REWIND_LIMIT_JITTER. What falls counts at once; it rises by a tick in 200 ms. As
// delays miss a tick's waiting, it may be a tick too little: that costs nobody a hit that matters,
// while every tick too much is worth two of a hundred shots to an aim-bot.
#define RAIM_REWIND_LIMIT_SHOW 1
#define RAIM_REWIND_LIMIT_JITTER 2
uint32_t raim_rewind_limit_view(const struct raim_rewind_limit *rewind_limit);
