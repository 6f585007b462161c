// SPDX-License-Identifier: MIT
// Measures how far a client's picture of the other players is from the world at the tick that it
// shows: positions, aims, and players in sight that it lacks.
#pragma once

#include "client.h"

#include <stdbool.h>
#include <stdint.h>

#define PICTURE_MAX_PLAYERS 64
#define PICTURE_TICKS 128 // that are remembered

// The players of the last ticks, by tick modulo PICTURE_TICKS and by slot.
struct picture_truth {
    uint32_t tick;
    struct picture_player {
        bool alive;
        uint32_t life;
        raim_vec2 position;
        raim_angle aim;
    } players[PICTURE_TICKS][PICTURE_MAX_PLAYERS];
};

// Sums over the players of a client's pictures.
struct picture_error {
    uint64_t shown;         // players compared
    double position_units;  // sum of their distances from where they were
    double aim_degrees;     // sum of their aims' errors
    uint64_t turns;         // players shown in three successive pictures
    double shake_degrees;   // sum of the differences between the turns of successive pictures
    uint64_t seen, lacking; // players in sight, and those of them that were not shown

    struct picture_aim {
        uint32_t pictures; // successive ones that showed the player in this life
        uint32_t life;
        raim_angle aim;
        int16_t turn;            // to this aim
    } aims[PICTURE_MAX_PLAYERS]; // by slot
};

// Remembers the world after a step.
void picture_truth_step(struct picture_truth *truth, const struct raim_world *world);

// Compares a picture, which the client has just interpolated.
void picture_error_add(struct picture_error *error, const struct picture_truth *truth,
                       const struct raim_client *client);
