// SPDX-License-Identifier: MIT
// Client-side prediction of the local player: the inputs since the newest snapshot are played over
// it by the world's own rules, so that the player reacts at once and stands where the server will
// put it. The actions of other players cannot be predicted; the next snapshot corrects them
// (reconciliation, see Bernier 2001, named in world.h).
#pragma once

#include "player.h"

#define RAIM_PREDICTION_TICKS 128 // ticks of inputs and states kept

// The local player at the beginning of a tick, as far as snapshots describe it.
struct raim_prediction_state {
    raim_vec2 position;
    uint16_t cooldown_ticks;
    uint8_t shots; // modulo 256
    uint8_t life;  // modulo 8
    bool alive;
    bool shielded;
    bool held; // in a break or a pause: inputs have no effect
};

struct raim_prediction_tick {
    struct raim_prediction_state state; // at the beginning of the tick
    raim_input input;                   // played in the tick
    bool fired;                         // the input fired a bullet
};

// Accuracy of the predictions.
struct raim_prediction_record {
    uint64_t predictions, mispredictions; // checked by a snapshot, and found wrong
    double correction, corrections;       // error of the last wrong one, and sum of errors; units
};

struct raim_prediction {
    struct raim_tick_context moment; // the tick in it changes with each call
    raim_player_id id;
    bool any;            // a state is known
    uint32_t first_tick; // first tick with a known state
    uint32_t tick;       // last tick with a known state, fewer than RAIM_PREDICTION_TICKS later
    uint32_t base_tick;  // of the newest snapshot
    bool pressed;        // an input was taken
    uint32_t next_tick;  // the tick after the newest input
    struct raim_prediction_tick ticks[RAIM_PREDICTION_TICKS]; // ring, by tick

    struct raim_prediction_record record;
};

// Borrows map and rules.
void raim_prediction_init(struct raim_prediction *prediction, raim_player_id id,
                          const struct raim_map *map, const raim_rules *rules, uint32_t tick_hz);

// Takes an input for a tick later than all before. Ticks in between repeat the input before them,
// as on the server.
void raim_prediction_add_input(struct raim_prediction *prediction, uint32_t tick,
                               const raim_input *input);

// Whether the newest input may fire a bullet: it is predicted to, or nothing is known of the tick,
// or the player is down and may have respawned before it.
bool raim_prediction_may_fire(const struct raim_prediction *prediction);

// Takes the state in the newest snapshot and, where it differs from the prediction, replays the
// inputs since. A snapshot describes a player that is down by its shots alone: the player stays
// where it was predicted, or, without a prediction, at the position given.
void raim_prediction_reconcile(struct raim_prediction *prediction, uint32_t tick,
                               const struct raim_prediction_state *received);

// The local player at the beginning of a tick, or of the nearest tick with a known state. There
// must be one.
const struct raim_prediction_state *raim_prediction_at(const struct raim_prediction *prediction,
                                                       uint32_t tick);

// The position, in units, at a fraction, 0 to 1, of a tick.
raim_vec2 raim_prediction_position(const struct raim_prediction *prediction, uint32_t tick,
                                   double part);

// Fills the bullets, at most RAIM_MAX_PELLETS, that were fired in a tick before `tick`; from
// base_tick on the newest snapshot does not have them. Returns their number.
uint32_t raim_prediction_bullets(const struct raim_prediction *prediction, uint32_t tick,
                                 raim_bullet *bullets);
