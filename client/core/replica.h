// SPDX-License-Identifier: MIT
// A client's image of the arena: the map and rules that the welcome told, and the newest snapshots
// as frames of the wire, translated to world units on the way out. It shows the tick of the newest
// snapshot or a later one, predicted from it.
#pragma once

#include "client.h"
#include "handshake.h"
#include "snapshot.h"

struct raim_image {
    struct raim_wire_limits limits;
    raim_rules rules;
    uint32_t tick_hz;
    struct raim_map_def map_def; // grows with the OBSTACLES, freed once the map is made
    struct raim_piece_def *pieces;
    uint32_t obstacles_left;
    struct raim_map *map;
    char map_name[RAIM_MAX_TITLE_BYTES + 1];

    bool any;                       // snapshots
    bool is_news;                   // one has come since the last raim_image_go_on
    uint32_t newest_tick;           // before there are any: that of the welcome
    uint32_t shown_tick;            // 0 before there are any
    struct raim_wire_frame *frames; // by tick modulo limits.history
    struct raim_wire_frame spare;   // holds a snapshot until all of it has been read
    void *memory;
};

// What a snapshot changed.
struct raim_image_change {
    bool is_newest; // else it changed nothing
    uint32_t shots, hits;
};

// False when the welcome cannot be played: rules out of range, a border that bounds nothing, or no
// memory. Either way it is to be destroyed.
bool raim_image_create(struct raim_image *image, const struct raim_welcome *welcome);
void raim_image_destroy(struct raim_image *image);

// Reads an OBSTACLES message; with the last one the map is made.
bool raim_image_add_obstacles(struct raim_image *image, raim_reader *reader);

// Whether every obstacle is known. The map is NULL until then, and also when it cannot be made.
bool raim_image_is_told(const struct raim_image *image);
const struct raim_map *raim_image_map(const struct raim_image *image);

// Reads a SNAPSHOT; false when it is to be refused.
bool raim_image_add_snapshot(struct raim_image *image, raim_reader *reader,
                             struct raim_image_change *change);

// The snapshot of a tick, or NULL where none has come or its time has passed.
const struct raim_wire_frame *raim_image_frame(const struct raim_image *image, uint32_t tick);

// The newest snapshot that is not after a tick, and the oldest after it; NULL where there is none.
void raim_image_around(const struct raim_image *image, uint32_t tick,
                       const struct raim_wire_frame **before, const struct raim_wire_frame **after);

// Ticks after its launch in which a bullet ends at the latest.
uint32_t raim_image_bullet_ticks(const struct raim_image *image);

// A point of the wire's grid, in units.
static inline raim_vec2 raim_image_units(int32_t x, int32_t y)
{
    return (raim_vec2){x / (double)RAIM_WIRE_UNITS, y / (double)RAIM_WIRE_UNITS};
}

// What the newest snapshot tells of the one whose view it is; all zero before there are any.
raim_wire_self raim_image_self(const struct raim_image *image);

// Call it once a tick. Where no newer snapshot has come since the last call it shows the next tick,
// up to a quarter of a second beyond the newest snapshot. Returns whether one has come.
bool raim_image_go_on(struct raim_image *image);

// `own_aim` is that of the player whom the client steers.
uint32_t raim_image_players(const struct raim_image *image, raim_angle own_aim,
                            struct raim_client_player *players, uint32_t capacity);
uint32_t raim_image_bullets(const struct raim_image *image, struct raim_client_bullet *bullets,
                            uint32_t capacity);
