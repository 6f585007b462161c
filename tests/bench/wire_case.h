// SPDX-License-Identifier: MIT
// Classifies the change of a player since a baseline as the wire does; shared by the benches with
// other encodings and by the census.
#pragma once

#include "snapshot.h"

enum wire_case { WIRE_AS_PREDICTED, WIRE_TURNED, WIRE_GONE, WIRE_CHANGED, WIRE_CASES };

// Where a player is that went on by its old way until `since` ticks ago, and then by another.
static inline raim_wire_player wire_turned(const struct raim_wire_limits *limits,
                                           const raim_wire_player *from, uint32_t age, int32_t way,
                                           uint32_t since)
{
    raim_wire_player player = raim_wire_predict_player(limits, from, age - since);
    player.direction = way;
    return raim_wire_predict_player(limits, &player, since);
}

static inline bool wire_same_position(const raim_wire_player *a, const raim_wire_player *b)
{
    return a->x == b->x && a->y == b->y;
}

// `to` is NULL for a removed player; `since` is filled for WIRE_TURNED.
static inline enum wire_case wire_case_of(const struct raim_wire_limits *limits,
                                          const raim_wire_player *from, const raim_wire_player *to,
                                          uint32_t age, uint32_t *since)
{
    if (to == NULL)
        return WIRE_GONE;
    if (to->life != from->life || to->shield != from->shield)
        return WIRE_CHANGED;
    if (to->direction == from->direction) {
        const raim_wire_player predicted = raim_wire_predict_player(limits, from, age);
        return wire_same_position(&predicted, to) ? WIRE_AS_PREDICTED : WIRE_CHANGED;
    }
    for (*since = 1; *since <= age; ++*since) {
        const raim_wire_player turned = wire_turned(limits, from, age, to->direction, *since);
        if (wire_same_position(&turned, to))
            return WIRE_TURNED;
    }
    return WIRE_CHANGED;
}

// How many ticks ago a bullet was fired, if its origin follows from its shooter in the frame;
// otherwise 0.
static inline uint32_t wire_fired_age(const struct raim_wire_limits *limits,
                                      const struct raim_wire_frame *frame, uint32_t slot)
{
    enum { MAX_FIRED_AGE = 16 };
    const raim_wire_bullet *bullet = &frame->bullets[slot];
    const uint32_t shooter = slot / limits->shots;
    const uint32_t age = frame->tick - (bullet->tick + bullet->rewind);
    if (age < 1 || age > MAX_FIRED_AGE || !raim_set_has(frame->seen_players, shooter))
        return 0;
    // From where it would have stood, it came to where it is.
    raim_wire_player start = frame->players[shooter];
    start.x = bullet->x;
    start.y = bullet->y;
    const raim_wire_player end = raim_wire_predict_player(limits, &start, age - 1);
    return wire_same_position(&end, &frame->players[shooter]) ? age : 0;
}

// The shortest change of an aim, -512 to 511.
static inline int32_t wire_aim_change(int32_t from, int32_t to)
{
    enum { TURN = 1 << RAIM_WIRE_AIM_BITS };
    return ((to - from + TURN / 2) & (TURN - 1)) - TURN / 2;
}

// Bits of two's complement that a change needs; 0 for none.
static inline uint32_t wire_signed_bits(int32_t change)
{
    return change == 0 ? 0 : raim_bits_for((uint32_t)(change < 0 ? ~change : change)) + 1;
}
