// SPDX-License-Identifier: MIT
// Synthetic baselines for snapshots, shared by the target and the writer of its seeds.
#pragma once

#include "random.h"
#include "snapshot.h"

#include <assert.h>
#include <stdlib.h>

// The first byte of an input of fuzz_messages chooses an arena's limits and a baseline.
enum { FUZZ_LIMITS = 4, FUZZ_BASELINES = 64 };
static const struct raim_wire_limits fuzz_limits[FUZZ_LIMITS] = {
    {1, 1, 16, 960, 679, 0, false},
    {16, 6, 64, 160, 113, 9, true},
    {65, 8, 128, 80, 57, 18, false},
    {RAIM_WIRE_PLAYERS, RAIM_WIRE_BULLETS / RAIM_WIRE_PLAYERS, RAIM_MAX_HISTORY, 40, 28,
     RAIM_WIRE_REWIND, false},
};

// The newest tick that a reader of snapshots knows of.
enum { FUZZ_NEAR_TICK = 1000 };

static inline uint8_t fuzz_chooser(uint32_t limits, uint32_t baseline)
{
    return (uint8_t)(limits + FUZZ_LIMITS * baseline);
}

// Memory for a frame of exactly the limits; never freed.
static inline struct raim_wire_frame fuzz_frame(const struct raim_wire_limits *limits)
{
    struct raim_wire_frame frame;
    void *memory = calloc(1, raim_wire_frame_bytes(limits));
    assert(memory != NULL);
    raim_wire_frame_init(&frame, limits, memory);
    return frame;
}

static inline int32_t fuzz_coordinate(uint64_t *random)
{
    return (int32_t)raim_random_below(random, 1 << RAIM_WIRE_COORDINATE_BITS) -
           (1 << (RAIM_WIRE_COORDINATE_BITS - 1));
}

// Fills a frame with a few players and bullets; the same number gives the same ones.
static inline void fuzz_fill_baseline(struct raim_wire_frame *frame,
                                      const struct raim_wire_limits *limits, uint32_t tick,
                                      uint64_t number)
{
    enum { PLAYERS = 12, BULLETS = 24 };
    uint64_t *random = &number;
    frame->tick = tick;
    frame->self = (raim_wire_self){
        .slot = (uint16_t)raim_random_below(random, limits->players),
        .steers = raim_random_below(random, 2) != 0,
        .alive = raim_random_below(random, 2) != 0,
        .timer = (uint16_t)raim_random_below(random, 100),
        .shots = (uint8_t)raim_random_below(random, 256),
        .hits = (uint8_t)raim_random_below(random, 256),
        .margin = (int8_t)((int)raim_random_below(random, 63) - RAIM_MAX_MARGIN),
    };
    memset(frame->seen_players, 0, raim_set_words(limits->players) * sizeof(uint64_t));
    memset(frame->seen_bullets, 0, raim_set_words(raim_wire_bullets(limits)) * sizeof(uint64_t));
    for (uint32_t i = raim_random_below(random, PLAYERS); i > 0; i--) {
        const uint32_t slot = raim_random_below(random, limits->players);
        raim_set_add(frame->seen_players, slot);
        frame->players[slot] = (raim_wire_player){
            .x = fuzz_coordinate(random),
            .y = fuzz_coordinate(random),
            .aim = (int32_t)raim_random_below(random, 1 << RAIM_WIRE_AIM_BITS),
            .direction = (int32_t)raim_random_below(random, RAIM_DIRECTIONS),
            .life = (int32_t)raim_random_below(random, 8),
            .shield = (int32_t)raim_random_below(random, 2),
            .health = limits->has_health ? 1 + (int32_t)slot : 0,
        };
        if (raim_wire_is_own(frame, slot))
            frame->players[slot].aim = 0;
    }
    for (uint32_t i = raim_random_below(random, BULLETS); i > 0; i--) {
        const uint32_t slot = raim_random_below(random, raim_wire_bullets(limits));
        raim_set_add(frame->seen_bullets, slot);
        frame->bullets[slot] = (raim_wire_bullet){
            .x = fuzz_coordinate(random),
            .y = fuzz_coordinate(random),
            .tick = tick - raim_random_below(random, 100),
            .aim = (uint16_t)raim_random_below(random, 65536),
            .rewind = (uint8_t)raim_random_below(random, limits->max_rewind + 1),
        };
    }
}
