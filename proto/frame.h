// SPDX-License-Identifier: MIT
// Frames: the state of one tick in the wire's integers, and the prediction rule of delta
// compression. The world's positions lie on the wire's grid, so quantising loses nothing but
// precision of aims.
#pragma once

#include "lowest_bit.h"
#include "message.h"

// The limits of an arena, known to both ends before the first snapshot.
struct raim_wire_limits {
    uint32_t players;    // places
    uint32_t shots;      // bullet slots of each player: slot / shots is a bullet's shooter
    uint32_t history;    // ticks that both ends keep: raim_wire_history
    int32_t stride;      // grid steps that a player runs per tick along an axis
    int32_t diagonal;    // grid steps per tick along each axis of a diagonal run
    uint32_t max_rewind; // ticks that a bullet may be launched in the past, 0 to RAIM_WIRE_REWIND
    bool has_health;     // snapshots contain the health of players, which can have more than 1
};

static inline uint32_t raim_wire_bullets(const struct raim_wire_limits *limits)
{
    return limits->players * limits->shots;
}

// The ticks of a second, rounded up to a power of two: 16 to RAIM_MAX_HISTORY.
#define RAIM_MAX_HISTORY 256
uint32_t raim_wire_history(uint32_t tick_hz);

// How a player moved in its last tick, approximated by the nearest of these.
enum raim_direction {
    RAIM_DIRECTION_STAND,
    RAIM_DIRECTION_RUN = 1,   // 1 to 8: the eight directions, counter-clockwise from +x
    RAIM_DIRECTION_SLIDE = 9, // 9 to 12: +x, +y, -x, -y at the diagonal's pace, along a wall
    RAIM_DIRECTIONS = 13,
};

// A living player. The table of its fields is in snapshot.c.
typedef struct raim_wire_player {
    int32_t x, y;      // position on the wire's grid
    int32_t aim;       // RAIM_WIRE_AIM_BITS of binary angle; 0 for a client's own
    int32_t direction; // enum raim_direction
    int32_t life;      // spawn counter, modulo 8: positions of different lives are unrelated
    int32_t shield;    // 1 under spawn protection
    int32_t health;    // 1 to 255 points; 0 without limits->has_health
} raim_wire_player;

#define RAIM_WIRE_AIM_BITS 10

// A bullet flies straight, as if it left the centre (x, y) of its shooter at the beginning of
// `tick`.
typedef struct raim_wire_bullet {
    int32_t x, y;
    uint32_t tick;
    // Only in frames that are written: the origin of an equal bullet launched at the frame's own
    // tick. It is sent to clients that must not learn where the bullet was fired.
    int32_t now_x, now_y;
    uint16_t aim;   // 16-bit binary angle
    uint8_t rewind; // ticks from `tick` to the shot; 0 where that is not sent
    uint8_t flown;  // only in frames that are written: ticks that it flew before it was reflected,
                    // at most 255
} raim_wire_bullet;

// State that only its receiver gets.
typedef struct raim_wire_self {
    uint16_t slot; // slot of the player whose view this is
    bool steers;   // the receiver plays it and so knows its aim; false for spectators
    bool alive;
    uint16_t timer; // ticks until it may fire, or while down until it respawns
    uint8_t shots;  // bullets fired, modulo 256
    uint8_t hits;   // bullets that hit, modulo 256
    int8_t margin;  // see RAIM_MARGIN_WINDOW; 0 for spectators
} raim_wire_self;

#define RAIM_WIRE_MAX_TIMER 65535

// The margin is the minimum number of ticks by which INPUTs came early in the last complete window.
// Windows are RAIM_MARGIN_WINDOW ticks long and begin at multiples of it. Clients adjust their
// clocks by the margin.
#define RAIM_MARGIN_WINDOW 32
#define RAIM_MAX_MARGIN 31 // clamped to this; negative: too late

// The state of a tick and the set of its entities that are visible to a viewer. `players` and
// `bullets` are indexed by slot; only slots whose bits are set in `seen_players` and `seen_bullets`
// are valid. All arrays are borrowed.
struct raim_wire_frame {
    uint32_t tick;
    uint32_t epoch; // of the receiver's connection, see message.h; sent in whole snapshots
    raim_wire_self self;
    raim_wire_player *players;
    raim_wire_bullet *bullets;
    uint64_t *seen_players;
    uint64_t *seen_bullets;
};

// raim_wire_frame_bytes returns the size of a frame's arrays, a multiple of 8. raim_wire_frame_init
// makes a frame over memory of that size, which must be zeroed and aligned for a uint64_t.
size_t raim_wire_frame_bytes(const struct raim_wire_limits *limits);
void raim_wire_frame_init(struct raim_wire_frame *frame, const struct raim_wire_limits *limits,
                          void *memory);

// The direction nearest to a displacement of one tick, in grid steps; of equally near ones the
// lowest.
uint32_t raim_wire_direction(const struct raim_wire_limits *limits, int32_t dx, int32_t dy);

// The prediction rule (dead reckoning): a player after `age` ticks, 0 to RAIM_MAX_HISTORY - 1, if
// it continues in its direction; all other fields stay. Positions wrap in 32 bits, so that any
// frame can be predicted.
raim_wire_player raim_wire_predict_player(const struct raim_wire_limits *limits,
                                          const raim_wire_player *player, uint32_t age);
raim_wire_self raim_wire_predict_self(const raim_wire_self *self,
                                      uint32_t age); // its timer runs down

// How a frame differs from its prediction.
enum raim_wire_change {
    RAIM_WIRE_PREDICTED, // not at all
    RAIM_WIRE_AIMS,      // in nothing but aims of other players
    RAIM_WIRE_CHANGED,   // in more: self, a set, a player's course or a bullet
};

// Compares a frame `to` with what a client predicts for it from its earlier frame `from`.
enum raim_wire_change raim_wire_compare(const struct raim_wire_limits *limits,
                                        const struct raim_wire_frame *from,
                                        const struct raim_wire_frame *to);

// True when a client with frame `from` predicts everything in its later frame `to`, so that `to`
// need not be sent.
static inline bool raim_wire_is_predicted(const struct raim_wire_limits *limits,
                                          const struct raim_wire_frame *from,
                                          const struct raim_wire_frame *to)
{
    return raim_wire_compare(limits, from, to) == RAIM_WIRE_PREDICTED;
}

// --- Comparisons with a prediction ---

static inline bool raim_wire_same_self(const raim_wire_self *a, const raim_wire_self *b)
{
    return a->slot == b->slot && a->steers == b->steers && a->alive == b->alive &&
           a->timer == b->timer && a->shots == b->shots && a->hits == b->hits &&
           a->margin == b->margin;
}

// Compares everything but the aim.
static inline bool raim_wire_same_course(const raim_wire_player *a, const raim_wire_player *b)
{
    return a->x == b->x && a->y == b->y && a->direction == b->direction && a->life == b->life &&
           a->shield == b->shield && a->health == b->health;
}

static inline bool raim_wire_same_launch(const raim_wire_bullet *a, const raim_wire_bullet *b)
{
    return a->tick == b->tick && a->x == b->x && a->y == b->y && a->aim == b->aim &&
           a->rewind == b->rewind;
}

// A client that steers a player knows its aim, which is sent as 0.
static inline bool raim_wire_is_own(const struct raim_wire_frame *frame, uint32_t slot)
{
    return frame->self.steers && frame->self.slot == slot;
}

static inline int32_t raim_wire_sent_aim(const struct raim_wire_frame *frame, uint32_t slot)
{
    return raim_wire_is_own(frame, slot) ? 0 : frame->players[slot].aim;
}

// --- Bit sets of slots ---

static inline size_t raim_set_words(uint32_t slots)
{
    return (slots + 63) / 64;
}

static inline bool raim_set_has(const uint64_t *set, uint32_t slot)
{
    return (set[slot / 64] >> (slot % 64) & 1) != 0;
}

static inline void raim_set_add(uint64_t *set, uint32_t slot)
{
    set[slot / 64] |= (uint64_t)1 << (slot % 64);
}

static inline void raim_set_remove(uint64_t *set, uint32_t slot)
{
    set[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}

// The lowest member of the set at or above `slot`, or `limit`.
static inline uint32_t raim_set_next(const uint64_t *set, uint32_t slot, uint32_t limit)
{
    while (slot < limit) {
        const uint64_t rest = set[slot / 64] >> (slot % 64);
        if (rest != 0) {
            slot += raim_lowest_bit(rest);
            return slot < limit ? slot : limit;
        }
        slot = (slot / 64 + 1) * 64;
    }
    return limit;
}
