// SPDX-License-Identifier: MIT
// Rewind limit of lag compensation: how old a view of the arena a client can have had when it
// fired, from the round trip that the server measures itself. The limit uses the minimum of two
// measurements within the last second, as BBR's min_rtt filter does (Cardwell et al., "BBR:
// Congestion-Based Congestion Control", 2016): the ticks until the first INPUT that acknowledges a
// snapshot, and the transport's time from a reliable command to its acknowledgement. A client can
// only make its round trip seem longer, by delaying answers; to raise the minimum it must delay
// every answer of both measurements for more than a second.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RAIM_REWIND_LIMIT_PARTS 8   // parts of the second over which the minimum is taken
#define RAIM_REWIND_LIMIT_SCALE 128 // fixed-point scale of jitter: parts of a tick

// A zeroed limit has no measurement. Delays are whole ticks, rounded down: 0 means that the answer
// arrived before the next tick was played.
struct raim_rewind_limit {
    uint32_t delays[RAIM_REWIND_LIMIT_PARTS]; // minimum of each part of a second, plus 1; 0: none
    uint32_t part;                            // index of the newest part
    uint32_t part_ticks;                      // ticks since it began
    int32_t median;                           // of the delays, in parts of a tick
    bool is_acked;                            // a snapshot has been acknowledged

    uint32_t transport_left;   // ticks for which the transport's measurement remains valid
    uint32_t transport_delay;  // ticks
    uint32_t transport_jitter; // parts of a tick: four mean deviations (RFC 6298)

    bool is_known;         // `allowed` is valid
    uint32_t allowed;      // see raim_rewind_limit_view
    uint32_t growth_ticks; // ticks since `allowed` could last grow
};

// Advances the filter by one tick. Call it once a tick, before the tick's messages are received.
void raim_rewind_limit_step(struct raim_rewind_limit *rewind_limit, uint32_t tick_hz);

// Adds a sample: a snapshot was acknowledged for the first time, `delay_ticks` after it was made.
void raim_rewind_limit_acknowledge(struct raim_rewind_limit *rewind_limit, uint32_t delay_ticks);

// Sets the transport's measurement, see raim_match_set_rtt.
void raim_rewind_limit_measure(struct raim_rewind_limit *rewind_limit, uint32_t rtt_ms,
                               uint32_t deviation_ms, uint32_t tick_hz);

// The minimum of the delays of acknowledged snapshots within the last second, in ticks; UINT32_MAX:
// not known.
uint32_t raim_rewind_limit_delay(const struct raim_rewind_limit *rewind_limit);

// The greatest number of ticks from the tick that a client was shown to the tick in which its input
// arrives: the round trip, one tick of interpolation between two snapshots (RAIM_REWIND_LIMIT_SHOW)
// and the jitter, up to RAIM_REWIND_LIMIT_JITTER. A decrease applies at once; an increase is
// limited to a tick in 200 ms. Because delays are rounded down, the limit may be a tick too small.
// That costs few hits, whereas each tick too many gives an aim-bot two more hits of a hundred
// shots.
#define RAIM_REWIND_LIMIT_SHOW 1
#define RAIM_REWIND_LIMIT_JITTER 2
uint32_t raim_rewind_limit_view(const struct raim_rewind_limit *rewind_limit);
