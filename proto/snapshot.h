// SPDX-License-Identifier: MIT
// SNAPSHOT: what one player may see in one tick, whole or against a snapshot that its client has
// acknowledged. Writing takes entities from frames that all clients share plus one set of places
// per client; reading fills a frame of the client's own.
#pragma once

#include "message.h"

// A baseline is at most this many ticks old; both ends remember so many.
#define RAIM_SNAPSHOT_HISTORY 64

// A living player as the wire tells it. The table of its fields is in snapshot.c.
typedef struct raim_wire_player {
    int32_t x, y;   // position on the wire's grid
    int32_t aim;    // 12-bit binary angle
    int32_t life;   // its spawn counter, modulo 8: another life is another place
    int32_t shield; // 1 under spawn protection
} raim_wire_player;

#define RAIM_WIRE_AIM_BITS 12

// A bullet is its launch; where it is follows from the tick.
typedef struct raim_wire_bullet {
    int32_t x, y;       // origin on the wire's grid
    uint32_t born_tick; // at most RAIM_WIRE_MAX_AGE ticks before the snapshot
    uint16_t aim;       // 16-bit binary angle
    uint16_t owner;     // place of the shooter
} raim_wire_bullet;

#define RAIM_WIRE_MAX_AGE 4095

// The receiving player's own state, never told to others.
typedef struct raim_wire_self {
    bool alive;
    uint16_t timer; // ticks until it may fire, or while down until it rises
    uint8_t shots;  // bullets fired, modulo 256
    uint8_t hits;   // bullets that hit, modulo 256
} raim_wire_self;

#define RAIM_WIRE_MAX_TIMER 65535

// Everything visible to somebody at a tick. `players` and `bullets` are indexed by place; of them
// only the places whose bit is set in `seen_players` and `seen_bullets` count. Borrows.
struct raim_wire_frame {
    uint32_t tick;
    raim_wire_self self;
    raim_wire_player *players;
    raim_wire_bullet *bullets;
    uint64_t *seen_players;
    uint64_t *seen_bullets;
};

// How many places the arena has.
struct raim_wire_limits {
    uint32_t players, bullets;
};

// The bytes of a frame's arrays, a multiple of 8, and a frame over such memory, which must be
// zeroed and aligned for a uint64_t.
size_t raim_wire_frame_bytes(const struct raim_wire_limits *limits);
void raim_wire_frame_init(struct raim_wire_frame *frame, const struct raim_wire_limits *limits,
                          void *memory);

static inline size_t raim_set_words(uint32_t places)
{
    return (places + 63) / 64;
}

static inline bool raim_set_has(const uint64_t *set, uint32_t place)
{
    return (set[place / 64] >> (place % 64) & 1) != 0;
}

static inline void raim_set_add(uint64_t *set, uint32_t place)
{
    set[place / 64] |= (uint64_t)1 << (place % 64);
}

static inline void raim_set_remove(uint64_t *set, uint32_t place)
{
    set[place / 64] &= ~((uint64_t)1 << (place % 64));
}

#define RAIM_MAX_MARGIN 31

// What stands before the entities.
struct raim_snapshot_header {
    uint32_t tick;
    uint32_t baseline_age; // ticks back to the baseline, below RAIM_SNAPSHOT_HISTORY; 0: none
    // How many ticks before it was played the newest input arrived, -RAIM_MAX_MARGIN to
    // RAIM_MAX_MARGIN; negative: too late. Clients set their clocks by it.
    int32_t margin;
};

// Writes a snapshot against a baseline frame, or whole where that is NULL. Returns its size, or 0
// when it does not fit.
size_t raim_snapshot_write(const struct raim_snapshot_header *header,
                           const struct raim_wire_limits *limits,
                           const struct raim_wire_frame *baseline,
                           const struct raim_wire_frame *frame, uint8_t *bytes, size_t capacity);

// The bits that an entity of `frame` adds to raim_snapshot_write, and, for those in the baseline
// alone, to have gone. With RAIM_SNAPSHOT_FIXED_BITS for everything else, a snapshot fits where
// their sum does.
uint32_t raim_snapshot_player_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t place);
uint32_t raim_snapshot_bullet_bits(const struct raim_wire_limits *limits,
                                   const struct raim_wire_frame *baseline,
                                   const struct raim_wire_frame *frame, uint32_t place);
#define RAIM_SNAPSHOT_FIXED_BITS 93 // at most, without the last byte's padding

// Reading is in two parts: the header names the baseline that the caller then looks up.
bool raim_snapshot_read_header(raim_reader *reader, struct raim_snapshot_header *header);

// Fills `frame`, whose arrays have room for the limits. On false its contents are unspecified.
bool raim_snapshot_read(raim_reader *reader, const struct raim_snapshot_header *header,
                        const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline, struct raim_wire_frame *frame);
