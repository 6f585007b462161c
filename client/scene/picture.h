// SPDX-License-Identifier: MIT
// Picture: everything to draw of the arena at one moment, as plain values, which a client or a test
// fills in.
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
    uint8_t health; // points left
    raim_angle aim;
    raim_vec2 position;            // units
    char name[PICTURE_NAME_BYTES]; // UTF-8
};

struct picture_bullet {
    raim_player_id owner;
    raim_vec2 position, velocity; // units, units/s
};

struct picture {
    double now_s;               // when it was taken, by any steady clock
    double moment_s;            // time of the players and bullets shown, by the game's clock
    const struct raim_map *map; // NULL: nothing to show yet
    raim_vec2 view;             // size, units
    bool sight;                 // obstacles hide what is behind them
    bool is_flown;              // nobody's view: no lines of sight are drawn
    raim_vec2 eye;              // middle of the view and start of the lines of sight, units
    double player_radius, bullet_radius; // units
    double health;                       // of a fresh player; 1: it is not drawn
    double shield_left;                  // share of the local player's shield time, 0 to 1
    uint32_t player_count, bullet_count;
    struct picture_player players[RAIM_MAX_PLAYERS];
    struct picture_bullet bullets[RAIM_MAX_BULLETS];
};

// Removes players and bullets that are outside of the view or hidden by obstacles, by the server's
// own rule: a circle is visible where any part of it is. The local player stays.
void picture_hide_unseen(struct picture *picture);

// Finds where the shot of a player came from: where that player is, or else its bullet next to the
// eye flew from. False where neither is shown.
bool picture_find_shooter(const struct picture *picture, raim_player_id id, raim_vec2 *from);

// Fills a picture of a moment between two others of one arena, whose players are ordered by slot:
// `part` is 0 at the first and 1 at the second. It shows the players and bullets of the first.
// Between two lives a player stands still.
void picture_between(const struct picture *before, const struct picture *after, double part,
                     struct picture *between);
