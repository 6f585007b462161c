// SPDX-License-Identifier: MIT
// The own player ahead of the server: what was pressed since the newest snapshot is played over it
// by the world's own rules, so that the player obeys at once, and stands where the server will have
// it. Only what others do to it cannot be known: that is corrected as soon as it is told.
#pragma once

#include "player.h"

#define RAIM_PILOT_TICKS 128 // that are remembered

// What the wire tells of the own player at a tick.
struct raim_pilot_state {
    raim_vec2 position;
    uint16_t cooldown_ticks;
    uint8_t shots; // modulo 256
    uint8_t life;  // modulo 8
    bool alive;
    bool shielded;
    bool held; // in a break or a pause: whatever is pressed, it stays as it is
};

struct raim_pilot_tick {
    struct raim_pilot_state state; // as the tick begins
    raim_input input;              // that is played in it
    bool fired;                    // by it
};

// How well it foresaw where snapshots then had the player.
struct raim_pilot_record {
    uint64_t predictions, mispredictions; // that could be judged, and that were wrong
    double correction, corrections;       // units: of the last wrong one, and of all
};

struct raim_pilot {
    struct raim_moment moment; // its tick is that of each call
    raim_player_id id;
    bool any;            // state at all
    uint32_t first_tick; // from this to `tick`, RAIM_PILOT_TICKS of them at most, states are known
    uint32_t tick;
    uint32_t base_tick;                             // of the newest snapshot
    bool pressed;                                   // any input
    uint32_t next_tick;                             // after that of the newest input
    struct raim_pilot_tick ticks[RAIM_PILOT_TICKS]; // by tick modulo their number

    struct raim_pilot_record record;
};

// Borrows map and rules.
void raim_pilot_init(struct raim_pilot *pilot, raim_player_id id, const struct raim_map *map,
                     const raim_rules *rules, uint32_t tick_hz);

// Takes an input for a tick later than all before. For the ticks in between, if any, the one before
// was held, as the server does.
void raim_pilot_press(struct raim_pilot *pilot, uint32_t tick, const raim_input *input);

// Takes what the newest snapshot tells, and plays again what was pressed since, if that changes it.
// Of one who is down nothing is told but its shots: it lies where it was about to be, or, where
// that is unknown, at the position given.
void raim_pilot_correct(struct raim_pilot *pilot, uint32_t tick,
                        const struct raim_pilot_state *told);

// The own player as a tick begins, or the tick nearest to it that is known; there must be any.
const struct raim_pilot_state *raim_pilot_at(const struct raim_pilot *pilot, uint32_t tick);

// Where it is a part, 0 to 1, into a tick.
raim_vec2 raim_pilot_position(const struct raim_pilot *pilot, uint32_t tick, double part);

// The bullet that was fired in a tick of which the newest snapshot cannot tell yet; false where
// none was. These ticks are those from base_tick on that are before `tick`.
bool raim_pilot_bullet(const struct raim_pilot *pilot, uint32_t tick, raim_bullet *bullet);
