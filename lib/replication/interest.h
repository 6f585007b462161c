// SPDX-License-Identifier: MIT
// What there is to be seen in a tick, and who may be told of it: what lies in the viewer's
// rectangle, or could come into it in time, and what walls do not hide, or would not for long.
// It works on a history and the map alone, so that it can look at any tick of the past.
#pragma once

#include "distance_field.h"
#include "history.h"
#include "map_pvs.h"
#include "visibility_cache.h"

struct raim_interest_def {
    const struct raim_map *map;
    const struct raim_distance_field *clearing; // of that map
    const struct raim_history *history;
    raim_rules rules;
    uint32_t tick_hz;
    raim_vec2 view;       // units
    bool sight;           // walls hide what is behind them
    uint32_t max_latency; // ticks, of any viewer
};

// Who looks. Several may look through the eyes of one player.
struct raim_viewer {
    uint32_t place;
    bool steers;      // it plays this player, others watch it; all of these have one latency
    uint32_t latency; // ticks ahead that it is told what it could come to see
};

struct raim_interest {
    struct raim_interest_def def;
    double stride;              // units that a player runs in a tick
    uint32_t rest, longest_run; // ticks
    uint32_t tick;
    const struct raim_wire_frame *frame; // of that tick

    struct raim_interest_player {
        raim_vec2 position;
        uint32_t place;
    } * walking; // all that live
    uint32_t walking_count;
    struct raim_box_index walkers; // of these

    struct raim_interest_bullet {
        raim_vec2 position; // now
        raim_vec2 step;     // what it flies in a tick
        double left;        // ticks until a wall or its age ends it
        uint32_t place;
    } * flying; // all that fly
    uint32_t flying_count;
    struct raim_box_index fliers;

    struct raim_interest_flight {
        bool flies;     // or flew
        uint32_t tick;  // its launch
        uint32_t fired; // the tick in which it was: no two of a place are fired in one
        double ticks;   // that it flies until a wall or its age ends it
        raim_vec2 origin, direction;
    } * flights; // by place, of the last bullet there

    // By place, of the last tick: who has risen since is somewhere else.
    struct raim_interest_life {
        bool alive;
        int32_t life;
    } * lives;

    // Where players can run to, worked out when first asked for: by place, and what they reach in
    // all by place, then by ticks.
    struct raim_interest_runner {
        uint32_t tick; // that it is of
        struct raim_runner runner;
    } * runners;
    struct raim_interest_reach {
        uint32_t tick;
        struct raim_reach reach;
    } * reaches;
    raim_vec2 *points; // of the runners

    // Viewers are numbered by their places, first those who steer, then those who watch.
    struct raim_visibility_cache players, bullets;
};

// False when memory runs out. The history and the map are borrowed.
bool raim_interest_create(struct raim_interest *vista, const struct raim_interest_def *def);
void raim_interest_destroy(struct raim_interest *vista);

// Turns to a tick of the history, before the viewers are asked for.
void raim_interest_turn(struct raim_interest *vista, uint32_t tick);

// Fills the sets of places of what a viewer may be told in this tick.
void raim_interest_find(struct raim_interest *vista, const struct raim_viewer *viewer,
                        uint64_t *players, uint64_t *bullets);
