// SPDX-License-Identifier: MIT
// The world: everything of a game that changes, in one flat block without a pointer in it, so that
// a copy is a memcpy and a digest is a hash of the bytes. The map is immutable and passed beside
// it. Stepping is deterministic: the same world, map and inputs give the same bytes everywhere.
// After every step players stand on the map's grid (RAIM_MAP_GRID), which is the wire's: what a
// client is told is exact, and what it predicts by the same rules is right to the bit.
// Thread rule: a world belongs to one thread at a time. Nothing allocates; the caller owns the
// memory and frees it.
#pragma once

#include "angle.h"
#include "map.h"
#include "rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAIM_MAX_PLAYERS 1024 // a player's place is 10 bits of its id and of the wire
#define RAIM_MAX_BULLETS 8192 // 13 bits of the wire
#define RAIM_MAX_REWIND 63    // ticks; 6 bits of the wire

// A place in the low 10 bits, a generation from 1 to 63 above: a place that is used again gets
// another id. 0 is nobody.
typedef uint16_t raim_player_id;
#define RAIM_NOBODY ((raim_player_id)0)

static inline uint32_t raim_player_place(raim_player_id id)
{
    return id & (RAIM_MAX_PLAYERS - 1);
}

// What a player presses during one tick.
typedef struct raim_input {
    int8_t move_x, move_y; // -1, 0 or 1
    uint8_t fire;          // 0 or 1
    uint8_t rewind;        // with `fire`: so many ticks late it was shown the others, 0 to the
                           // world's max_rewind; their bullets are launched as of then
    raim_angle aim;
} raim_input;

enum raim_player_state {
    RAIM_PLAYER_ABSENT, // the place is free
    RAIM_PLAYER_DOWN,   // destroyed, or about to enter
    RAIM_PLAYER_ALIVE,
};

typedef struct raim_player {
    raim_vec2 position; // units, on the grid
    raim_vec2 previous; // position before the last step
    uint32_t score;     // points
    uint32_t deaths;
    uint32_t shots;      // bullets fired
    uint32_t hits;       // bullets that hit someone, shielded or not
    raim_player_id id;   // RAIM_NOBODY where the place is free
    uint16_t generation; // of the place's last id
    raim_angle aim;
    uint16_t cooldown_ticks; // until it may fire again; runs on while down
    uint16_t respawn_ticks;  // until it rises, while down
    uint16_t shield_ticks;   // of spawn protection left
    uint8_t state;           // enum raim_player_state
    uint8_t life;            // counts its spawns, modulo 256: another life is another place
    uint8_t away;            // 1: nobody is at the keys; once down it does not rise
    uint8_t reserved;
} raim_player;

// A bullet is its launch: where it is follows from the tick (raim_bullet_position).
typedef struct raim_bullet {
    raim_vec2 origin;     // its shooter's centre, on the grid; the muzzle is a radius ahead
    raim_vec2 direction;  // of length 1
    uint32_t born_tick;   // it is at the muzzle when this tick begins: the one its shooter saw
    raim_player_id owner; // RAIM_NOBODY where the place is free
    raim_angle aim;
    uint16_t rewind; // ticks from born_tick to the tick in which it was fired
    uint16_t reserved[3];
} raim_bullet;

// Where a player was in an earlier tick, see position_history.h.
typedef struct raim_position_sample {
    raim_vec2 position; // when the tick began
    uint8_t life;
    uint8_t state;    // enum raim_player_state
    uint8_t shielded; // 0 or 1: from what was hit in the tick
    uint8_t reserved[5];
} raim_position_sample;

struct raim_world {
    raim_rules rules;
    uint64_t random; // state of the world's own generator
    uint32_t tick;   // steps taken; compare with raim_tick_diff
    uint32_t tick_hz;
    uint32_t max_players;
    uint32_t max_bullets; // max_players * shots
    uint32_t shots;       // bullet places of each player: those from its own place times this on
    uint32_t max_rewind;  // ticks, 0 to RAIM_MAX_REWIND
    uint32_t
        history_length; // that are remembered: at least max_rewind, a power of two, so that they
                        // follow each other also where the tick wraps; 0 without any rewind
    uint32_t reserved;  // 0
    // max_players of raim_player, max_bullets of raim_bullet, and max_players of
    // raim_position_sample for each of history_length, by tick modulo history_length, follow.
};

struct raim_world_def {
    raim_rules rules;
    uint32_t tick_hz;     // 10 to 240
    uint32_t max_players; // 1 to RAIM_MAX_PLAYERS
    uint32_t max_rewind;  // most ticks that a shot is launched in the past, 0 to RAIM_MAX_REWIND
    uint64_t seed;
};

enum raim_event_kind {
    RAIM_EVENT_SPAWN, // actor entered or rose
    RAIM_EVENT_FIRE,  // actor fired
    RAIM_EVENT_HIT,   // a bullet of actor hit victim; a shielded victim lives on
    RAIM_EVENT_KILL,  // and destroyed it
};

typedef struct raim_event {
    enum raim_event_kind kind;
    raim_player_id actor, victim;
    // Of HIT and KILL, for the record of what was rewound: the bullet's, and whether it hit in the
    // past, in one of the ticks that it flew through as it was fired.
    uint32_t view_tick; // that the shooter saw: the bullet's born_tick
    uint16_t rewind;    // ticks
    bool in_past;
} raim_event;

// What happened in a step, in the order it happened. The caller gives the memory; what does not
// fit is counted in `dropped`.
struct raim_events {
    raim_event *items;
    uint32_t capacity;
    uint32_t count;
    uint32_t dropped;
};

// Events that a step of so many players can raise at most: each may rise, fire, and be hit by
// every bullet that may end in it.
static inline uint32_t raim_events_bound(uint32_t max_players, uint32_t max_bullets)
{
    return 3 * max_players + max_bullets;
}

// a - b of two ticks, right also after the counter wrapped (every 828 days at 60 Hz).
static inline int32_t raim_tick_diff(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

// A time in whole ticks, rounded.
static inline uint16_t raim_ticks_of(double seconds, uint32_t tick_hz)
{
    return (uint16_t)(seconds * tick_hz + 0.5);
}

// Bullet places that a player needs: it fires at most one per cooldown, and each lives at most its
// lifetime. Fewer, but at least one, where all players' would be more than RAIM_MAX_BULLETS.
uint32_t raim_world_shots_for(const struct raim_world_def *def);

// How far a player runs in a tick, in steps of the grid: along an axis, and along each axis on a
// diagonal. Rounding changes a speed by at most half a step a tick; none is 0.
struct raim_stride {
    int32_t straight, diagonal;
};
struct raim_stride raim_world_stride(const raim_rules *rules, uint32_t tick_hz);

// Bytes of a world with this def, which must be in range.
size_t raim_world_size(const struct raim_world_def *def);

// Makes an empty world, at tick 0, in `memory` of raim_world_size bytes, aligned as malloc aligns.
// The def must be in range, its rules as raim_rules_check has them.
struct raim_world *raim_world_init(void *memory, const struct raim_world_def *def);

// Bytes of a world that has been made: so many are a copy of it.
size_t raim_world_bytes(const struct raim_world *world);

// A 64-bit digest of every byte of the world (XXH3).
uint64_t raim_world_digest(const struct raim_world *world);

// Gives a player the lowest free place and a new id; it spawns in the next step. Returns
// RAIM_NOBODY when every place is taken.
raim_player_id raim_world_join(struct raim_world *world);

// Frees a player's place and removes its bullets. The id must be of somebody in the world.
void raim_world_leave(struct raim_world *world, raim_player_id id);

// Marks a player as away, or as back. A player who is away stands still and can be hit, and once it
// is destroyed it does not spawn again. The id must be of somebody in the world.
void raim_world_set_away(struct raim_world *world, raim_player_id id, bool away);

// Removes every bullet.
void raim_world_clear_bullets(struct raim_world *world);

// Begins a round: removes every bullet, sets all points and deaths to 0, and lets all players spawn
// in the next step without a delay. Shots and hits count on, because a bullet's place follows from
// them.
void raim_world_begin_round(struct raim_world *world);

// Makes a world without players continue another one: it takes over the tick and, for every place
// that both have, the ids and lives that come next. Both must have the same tick_hz; rules and
// numbers of places may differ.
void raim_world_follow(struct raim_world *world, const struct raim_world *before);

// Gives a player the place of an id that it had in a world before. The place must exist and be
// free. The player spawns in the next step.
void raim_world_seat(struct raim_world *world, raim_player_id id);

// Plays one tick. `inputs` holds max_players of them, by slot, each in its range; those of places
// without a living player do not count. `events` is emptied first; with a capacity of
// raim_events_bound none is dropped. `map` must be the same in every step.
//
// Lag compensation: a shot is fired where its shooter stands now, at the others as its shooter was
// shown them, `rewind` ticks ago. So its bullet is launched as of then and flies through what the
// others did since, obstacles respected, up to now; from then on it is a bullet like all others.
// See Bernier, Latency Compensating Methods in Client/Server In-game Protocol Design, 2001.
void raim_world_step(struct raim_world *world, const struct raim_map *map, const raim_input *inputs,
                     struct raim_events *events);

// The world's max_players players, by place.
static inline raim_player *raim_world_players(struct raim_world *world)
{
    return (raim_player *)(world + 1);
}

static inline const raim_player *raim_world_players_const(const struct raim_world *world)
{
    return (const raim_player *)(world + 1);
}

// The world's max_bullets bullets: those of the player in place p are `shots` of them from
// p * shots on.
static inline raim_bullet *raim_world_bullets(struct raim_world *world)
{
    return (raim_bullet *)(raim_world_players(world) + world->max_players);
}

static inline const raim_bullet *raim_world_bullets_const(const struct raim_world *world)
{
    return (const raim_bullet *)(raim_world_players_const(world) + world->max_players);
}

// Where everybody was in one of the last history_length ticks, by slot; see position_history.h.
// Only for worlds with a max_rewind.
static inline raim_position_sample *raim_world_history(struct raim_world *world, uint32_t tick)
{
    raim_position_sample *ring =
        (raim_position_sample *)(raim_world_bullets(world) + world->max_bullets);
    return &ring[tick % world->history_length * world->max_players];
}

static inline const raim_position_sample *raim_world_history_const(const struct raim_world *world,
                                                                   uint32_t tick)
{
    const raim_position_sample *ring =
        (const raim_position_sample *)(raim_world_bullets_const(world) + world->max_bullets);
    return &ring[tick % world->history_length * world->max_players];
}

// Where a bullet is when `tick` begins.
static inline raim_vec2 raim_bullet_position(const raim_rules *rules, const raim_bullet *bullet,
                                             uint32_t tick, uint32_t tick_hz)
{
    const double flown_s = (double)raim_tick_diff(tick, bullet->born_tick) / (double)tick_hz;
    return raim_vec2_mad(bullet->origin, bullet->direction,
                         rules->player_radius + rules->bullet_speed * flown_s);
}
