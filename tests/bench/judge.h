// SPDX-License-Identifier: MIT
// The fairness judge: reference implementation of what is on a player's screen and what could come
// onto it soon by running. It is independent of the server's code and tries the runs one by one.
#pragma once

#include "world.h"

// A quarter of a second at 60 Hz and a tick of rounding.
#define JUDGE_MAX_TICKS 16

// Where it is, eight straight runs, and after three ticks of each, seven other ways to go on.
#define JUDGE_MAX_POSITIONS (1 + 8 * JUDGE_MAX_TICKS + 8 * 7 * 3 * JUDGE_MAX_TICKS)

struct judge {
    const struct raim_map *map; // borrowed
    raim_vec2 view;             // width and height of a screen, units
    double player_radius;
    struct raim_stride stride;
};

// Where something can have come to within some ticks.
struct judge_positions {
    raim_vec2 points[JUDGE_MAX_POSITIONS];
    int count;
    int ends;  // the first of them: where it is, and where its straight runs end
    int ticks; // of its runs; 0 for what does not choose its way
    bool has_turns;
};

// True when any part of a circle is within the screen around an eye.
bool judge_is_in_view(const struct judge *judge, raim_vec2 eye, raim_vec2 centre, double radius);

// True when, besides, any part of it can be seen past the obstacles.
bool judge_is_on_screen(const struct judge *judge, raim_vec2 eye, raim_vec2 centre, double radius);

// The positions of a target that does not move.
void judge_stand(raim_vec2 position, struct judge_positions *positions);

// Where a player comes to that runs straight for 0 to `ticks` ticks, 1 to JUDGE_MAX_TICKS.
void judge_run(const struct judge *judge, raim_vec2 position, int ticks,
               struct judge_positions *positions);

// Where a bullet comes to within `ticks` ticks, until it hits an obstacle or its time is over.
void judge_fly(const struct judge *judge, const struct raim_world *world, const raim_bullet *bullet,
               int ticks, struct judge_positions *positions);

// Where a target at one of its positions is on the screen of a viewer at one of its own. Tries all
// pairs, likely ones first, and where straight runs do not do it adds to the positions of both
// those of runs that turn once, after a quarter, a half or three quarters. False where there is
// none.
struct judge_witness {
    raim_vec2 eye, centre;
};
bool judge_find_witness(const struct judge *judge, struct judge_positions *viewer,
                        struct judge_positions *target, double radius,
                        struct judge_witness *witness);
