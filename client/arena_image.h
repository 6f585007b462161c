// SPDX-License-Identifier: MIT
// A client's image of the arena: the map and rules that the welcome told, and the newest snapshots
// as frames of the wire, translated to world units on the way out.
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

    bool any; // snapshots
    uint32_t first_tick, newest_tick;
    void *memory;
    struct raim_wire_frame spare; // holds a snapshot until all of it has been read
    struct raim_image_frame {
        bool valid;
        struct raim_wire_frame wire;
    } frames[RAIM_SNAPSHOT_HISTORY]; // by tick modulo RAIM_SNAPSHOT_HISTORY
};

// What a snapshot changed.
struct raim_image_change {
    bool newest;      // it is the newest so far
    bool repeated;    // it was there already, or is older than the first or the history
    uint32_t skipped; // ticks between it and the newest before it
    uint32_t filled;  // 1 where it came late, into such a gap
    uint32_t shots, hits;
};

// False when the welcome cannot be played: rules out of range, or no memory.
bool raim_image_create(struct raim_image *image, const struct raim_welcome *welcome);
void raim_image_destroy(struct raim_image *image);

// Reads an OBSTACLES message; with the last one the map is made.
bool raim_image_add_obstacles(struct raim_image *image, raim_reader *reader);

// NULL until every obstacle is known.
const struct raim_map *raim_image_map(const struct raim_image *image);

bool raim_image_add_snapshot(struct raim_image *image, const struct raim_snapshot_header *header,
                             raim_reader *reader, struct raim_image_change *change);

bool raim_image_alive(const struct raim_image *image);
uint32_t raim_image_players(const struct raim_image *image, struct raim_client_player *players,
                            uint32_t capacity);
uint32_t raim_image_bullets(const struct raim_image *image, struct raim_client_bullet *bullets,
                            uint32_t capacity);
