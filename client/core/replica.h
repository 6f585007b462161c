// SPDX-License-Identifier: MIT
// Replica of an arena in a client: the map and rules of the welcome, and the newest snapshots as
// frames of the wire, converted to world units when read. It shows the tick of the newest snapshot,
// or a later tick predicted from it.
#pragma once

#include "client.h"
#include "handshake.h"
#include "snapshot.h"

struct raim_replica {
    struct raim_wire_limits limits;
    raim_rules rules;
    uint32_t tick_hz;
    uint32_t epoch;              // of the WELCOME, see message.h
    struct raim_map_def map_def; // grows with each OBSTACLES message until the map is created
    struct raim_piece_def *pieces;
    uint32_t obstacles_left;
    struct raim_map *map;
    char map_name[RAIM_MAX_TITLE_BYTES + 1];

    bool any;                       // a snapshot has come
    bool is_news;                   // a snapshot has come since the last raim_replica_advance
    uint32_t newest_tick;           // of the snapshots; before the first, of the welcome
    uint32_t shown_tick;            // 0 before the first snapshot
    struct raim_wire_frame *frames; // by tick modulo limits.history; without arrays where empty
    struct raim_wire_frame *spares; // a stack; the top holds a snapshot until all has been read
    uint32_t spare_count;           // at least 1
    uint32_t kept_tick;             // all snapshots before it are released
    bool has_baseline;
    uint32_t baseline_tick; // of the newest snapshot that had a baseline
    void *memory;
};

// The effect of a snapshot.
struct raim_replica_change {
    bool is_newest;       // false: it was late or of another epoch, and changed nothing
    bool is_other_epoch;  // it belongs to another WELCOME
    uint32_t shots, hits; // of the local player since the snapshot before
};

// False when the arena cannot be played: rules out of range, an empty border, or no memory. The
// caller destroys the replica in both cases.
bool raim_replica_create(struct raim_replica *replica, const struct raim_welcome *welcome);
void raim_replica_destroy(struct raim_replica *replica);

#define RAIM_REPLICA_MAX_OBSTACLES_MESSAGE 128 // no message holds more

// Reads an OBSTACLES message into `received`, memory of the caller's for as many as a message
// holds; the last message creates the map. False for a malformed message.
bool raim_replica_add_obstacles(struct raim_replica *replica, struct raim_wire_obstacle *received,
                                raim_reader *reader);

// Whether every obstacle has been received. The map is NULL until then, and also when the obstacles
// make no valid map.
bool raim_replica_is_complete(const struct raim_replica *replica);
const struct raim_map *raim_replica_map(const struct raim_replica *replica);

// Reads a SNAPSHOT. False for a malformed one, and for one whose baseline is missing.
bool raim_replica_add_snapshot(struct raim_replica *replica, raim_reader *reader,
                               struct raim_replica_change *change);

// Releases the memory of the snapshots that nobody needs any more, so that few pages of it are in
// use: those before the one shown at `tick` that are too old to become a baseline. Baselines only
// become newer, because the server takes the newest acknowledged snapshot.
void raim_replica_release(struct raim_replica *replica, uint32_t tick);

// The snapshot of a tick; NULL where none has come, a newer one has replaced it, or it is released.
const struct raim_wire_frame *raim_replica_frame(const struct raim_replica *replica, uint32_t tick);

// The newest snapshot at or before a tick, and the oldest after it; NULL where there is none.
void raim_replica_around(const struct raim_replica *replica, uint32_t tick,
                         const struct raim_wire_frame **before,
                         const struct raim_wire_frame **after);

// The points of health of a player.
static inline uint8_t raim_replica_health(const struct raim_replica *replica,
                                          const raim_wire_player *player)
{
    return replica->limits.has_health ? (uint8_t)player->health : 1;
}

// The longest life of a bullet in ticks.
uint32_t raim_replica_bullet_ticks(const struct raim_replica *replica);

// Converts a point of the wire's grid to units.
static inline raim_vec2 raim_replica_units(int32_t x, int32_t y)
{
    return (raim_vec2){x / (double)RAIM_WIRE_UNITS, y / (double)RAIM_WIRE_UNITS};
}

// The state in the newest snapshot of the player whose view it is; all zero before the first one.
raim_wire_self raim_replica_self(const struct raim_replica *replica);

// Call it once per tick. Returns whether a newer snapshot has come since the last call. Where none
// has, it advances the shown tick by one, up to a quarter of a second beyond the newest snapshot.
bool raim_replica_advance(struct raim_replica *replica);

// Fill at most `capacity` rows of the shown tick and return their number. `own_aim` is the local
// player's.
uint32_t raim_replica_players(const struct raim_replica *replica, raim_angle own_aim,
                              struct raim_client_player *players, uint32_t capacity);
uint32_t raim_replica_bullets(const struct raim_replica *replica,
                              struct raim_client_bullet *bullets, uint32_t capacity);
