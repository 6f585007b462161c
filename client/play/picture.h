// SPDX-License-Identifier: MIT
// All that a moment of the game looks like, as plain values: filled from a client, or by a test.
#pragma once

#include "angle.h"
#include "map.h"
#include "world.h"

#include <stdbool.h>
#include <stdint.h>

enum { PICTURE_NAME_BYTES = 32 };

struct picture_player {
    raim_player_id id;
    bool own;
    bool shielded;
    uint8_t life;
    raim_angle aim;
    raim_vec2 position;            // units
    char name[PICTURE_NAME_BYTES]; // UTF-8
};

struct picture_bullet {
    raim_player_id owner;
    raim_vec2 position, velocity; // units, units/s
};

struct picture {
    double now_s;               // when it was taken, of any steady clock
    double moment_s;            // that the players and bullets are shown at, of the game's clock
    const struct raim_map *map; // NULL: nothing to show yet
    raim_vec2 view;             // size, units
    bool sight;                 // obstacles hide what is behind them
    raim_vec2 eye;              // its middle, and from where it is seen
    double player_radius, bullet_radius;
    double shield_left; // of the own player's, 0 to 1
    uint32_t player_count, bullet_count;
    struct picture_player players[RAIM_MAX_PLAYERS];
    struct picture_bullet bullets[RAIM_MAX_BULLETS];
};

// Takes out who and what is outside of the view or hidden by obstacles, by the server's own rule:
// a circle is seen where any part of it is. The own player stays.
void picture_hide_unseen(struct picture *picture);
