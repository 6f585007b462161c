// SPDX-License-Identifier: MIT
// The game simulation: the state of a match and its deterministic step. A world is one flat block
// without pointers, so a copy is a memcpy and a digest is a hash of the bytes. The immutable map is
// passed beside it. The same world, map and inputs give the same bytes on every machine. After
// every step, players stand on the map's grid (RAIM_MAP_GRID), which is the resolution of the wire:
// the positions that a client receives are exact, and a prediction by the same rules is right to
// the bit. Units: positions and radii are in units, directions have the length 1, times are in
// ticks. Thread rule: a world belongs to one thread at a time. Nothing allocates; the caller owns
// the memory and frees it.
#pragma once

#include "angle.h"
#include "map.h"
#include "rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAIM_MAX_PLAYERS 1024 // a player's slot is 10 bits of its id and of the wire
#define RAIM_MAX_BULLETS 8192 // 13 bits of the wire
#define RAIM_MAX_REWIND 63    // ticks; 6 bits of the wire

// The version of a world's bytes and of what a step makes of them. Change it with any change of
// either: a recording is replayed by the same version alone.
#define RAIM_WORLD_LAYOUT 1

// An index and a generation: the slot in the low 10 bits, a generation from 1 to 63 above them, so
// that a reused slot gets another id. 0 is no player.
typedef uint16_t raim_player_id;
#define RAIM_NOBODY ((raim_player_id)0)

static inline uint32_t raim_player_slot(raim_player_id id)
{
    return id & (RAIM_MAX_PLAYERS - 1);
}

// The input of a player for one tick.
typedef struct raim_input {
    int8_t move_x, move_y; // -1, 0 or 1
    uint8_t fire;          // 0 or 1
    uint8_t rewind;        // with `fire`: the age, in ticks, of the view that the player fired at,
                           // 0 to the world's max_rewind; the bullet is launched in that tick
    raim_angle aim;
} raim_input;

enum raim_player_state {
    RAIM_PLAYER_ABSENT, // the slot is free
    RAIM_PLAYER_DOWN,   // destroyed, or about to spawn for the first time
    RAIM_PLAYER_ALIVE,
};

typedef struct raim_player {
    raim_vec2 position; // units, on the grid
    raim_vec2 previous; // position before the last step
    uint32_t score;     // points
    uint32_t deaths;
    uint32_t shots;      // bullets fired
    uint32_t hits;       // bullets that hit someone, shielded or not
    raim_player_id id;   // RAIM_NOBODY in a free slot
    uint16_t generation; // of the slot's last id
    raim_angle aim;
    uint16_t cooldown_ticks; // until it may fire again; runs on while down
    uint16_t respawn_ticks;  // until it spawns, while down
    uint16_t shield_ticks;   // of spawn protection left
    uint8_t state;           // enum raim_player_state
    uint8_t life;            // number of spawns, modulo 256; its position jumps between lives
    uint8_t away;            // 1: its client is gone; once down it does not respawn
    uint8_t health;          // points left; 0 unless it is alive
} raim_player;

// A bullet is stored as its launch. Its position follows from the tick (raim_bullet_position). A
// bullet that is reflected rests at the obstacle until the tick ends and is launched anew: as if a
// player a radius behind it, on the grid, had fired it. Its lifetime goes on.
typedef struct raim_bullet {
    raim_vec2 origin;     // its shooter's centre, on the grid; the muzzle is a radius ahead
    raim_vec2 direction;  // of length 1
    uint32_t born_tick;   // the tick its shooter saw; the bullet is at the muzzle when it begins
    raim_player_id owner; // RAIM_NOBODY in a free slot
    raim_angle aim;
    uint16_t rewind;  // ticks from raim_bullet_launch_tick to the tick in which it was fired
    uint16_t bounces; // how often it was reflected
    uint16_t flown;   // ticks from its first launch to born_tick
    uint16_t reserved;
} raim_bullet;

// The tick that its shooter saw.
static inline uint32_t raim_bullet_launch_tick(const raim_bullet *bullet)
{
    return bullet->born_tick - bullet->flown;
}

// The position of a player in an earlier tick, see position_history.h.
typedef struct raim_position_sample {
    raim_vec2 position; // when the tick began
    uint8_t life;
    uint8_t state;    // enum raim_player_state
    uint8_t shielded; // 0 or 1: whether hits in the tick were blocked
    uint8_t reserved[5];
} raim_position_sample;

struct raim_world {
    raim_rules rules;
    uint64_t random; // state of the world's own generator
    uint32_t tick;   // steps taken; compare with raim_tick_diff
    uint32_t tick_hz;
    uint32_t max_players;
    uint32_t max_bullets; // of all players together
    uint32_t
        bullets_per_player; // bullet slots of each player, from its own slot times this number on
    uint32_t max_rewind;    // ticks, 0 to RAIM_MAX_REWIND
    // Ticks that are recorded: at least max_rewind and a power of two, so that the ring stays
    // contiguous across a wrap of the tick; 0 without rewinds.
    uint32_t history_length;
    uint32_t reserved; // 0
    // Followed by max_players of raim_player, max_bullets of raim_bullet, and max_players of
    // raim_position_sample for each recorded tick, by tick modulo history_length.
};

struct raim_world_def {
    raim_rules rules;
    uint32_t tick_hz;     // 10 to 240
    uint32_t max_players; // 1 to RAIM_MAX_PLAYERS
    uint32_t max_rewind;  // most ticks that a shot is launched in the past, 0 to RAIM_MAX_REWIND
    uint64_t seed;        // of the world's random generator
};

enum raim_event_kind {
    RAIM_EVENT_SPAWN, // actor spawned
    RAIM_EVENT_FIRE,  // actor fired
    RAIM_EVENT_HIT,   // a bullet of actor hit victim, who may survive
    RAIM_EVENT_KILL,  // a bullet of actor destroyed victim; follows the HIT
};

typedef struct raim_event {
    enum raim_event_kind kind;
    raim_player_id actor, victim;
    // Set for HIT and KILL, for statistics of lag compensation.
    uint32_t view_tick; // the tick the shooter saw: the bullet's raim_bullet_launch_tick
    uint16_t rewind;    // the bullet's, in ticks
    bool in_past;       // the hit was in a past tick that the bullet flew through when fired
} raim_event;

// The events of a step, in order. The caller provides the memory; `dropped` counts the events that
// did not fit.
struct raim_events {
    raim_event *items;
    uint32_t capacity;
    uint32_t count;
    uint32_t dropped;
};

// Returns the largest number of events of a step: each player may spawn, fire and be killed, and
// every bullet may hit.
static inline uint32_t raim_events_bound(uint32_t max_players, uint32_t max_bullets)
{
    return 3 * max_players + max_bullets;
}

// Returns a - b of two ticks. It is correct across a wrap of the counter (every 828 days at 60 Hz)
// for ticks less than 2^31 apart.
static inline int32_t raim_tick_diff(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

// Converts a time to whole ticks, rounded.
static inline uint16_t raim_ticks_of(double seconds, uint32_t tick_hz)
{
    return (uint16_t)(seconds * tick_hz + 0.5);
}

// Returns the number of bullet slots of each player, those of whole shots: a player fires at most
// one shot per cooldown, and a bullet exists at most for its lifetime. The number is lower, but at
// least that of one shot, when all slots together would exceed RAIM_MAX_BULLETS.
uint32_t raim_world_bullets_per_player(const struct raim_world_def *def);

// The distance that a player runs in a tick, in steps of the grid: along an axis, and along each
// axis of a diagonal. Rounding changes the speed by at most half a step per tick. Both are 1 or
// more.
struct raim_stride {
    int32_t straight, diagonal;
};
struct raim_stride raim_world_stride(const raim_rules *rules, uint32_t tick_hz);

// Returns the size of a world with this definition, in bytes. The definition must be in range.
size_t raim_world_size(const struct raim_world_def *def);

// Creates an empty world, at tick 0, in `memory` of raim_world_size bytes, aligned as by malloc.
// The definition must be in range, and its rules must pass raim_rules_check.
struct raim_world *raim_world_init(void *memory, const struct raim_world_def *def);

// Returns the size of an existing world, in bytes. Copying that many bytes copies the world.
size_t raim_world_bytes(const struct raim_world *world);

// Returns a 64-bit digest (XXH3) of every byte of the world.
uint64_t raim_world_digest(const struct raim_world *world);

// Adds a player, with a new id, in the lowest free slot. The player spawns in the next step.
// Returns RAIM_NOBODY when all slots are taken.
raim_player_id raim_world_join(struct raim_world *world);

// Removes a player and its bullets. The id must be that of a player in the world.
void raim_world_leave(struct raim_world *world, raim_player_id id);

// Marks a player as away, or as back. A player who is away stands still and can be hit; once
// destroyed, it does not respawn until it is back. The id must be that of a player in the world.
void raim_world_set_away(struct raim_world *world, raim_player_id id, bool away);

// Removes every bullet.
void raim_world_clear_bullets(struct raim_world *world);

// Restores the positions before the last step, so that players who overlap are not pushed apart
// while nobody may move.
void raim_world_hold_positions(struct raim_world *world);

// Begins a round: removes every bullet, resets all points and deaths to 0, and lets all players
// spawn in the next step without a delay. The counts of shots and hits continue, because the slot
// of a bullet follows from the number of shots.
void raim_world_begin_round(struct raim_world *world);

// Makes a world without players the successor of another one: it takes over the tick and, for every
// slot that both have, the generation and the life, so that ids and lives continue. Both must have
// the same tick_hz; rules and numbers of slots may differ.
void raim_world_continue(struct raim_world *world, const struct raim_world *before);

// Adds a player under an id that it had in an earlier world. The slot of that id must exist and be
// free. The player spawns in the next step.
void raim_world_rejoin(struct raim_world *world, raim_player_id id);

// The memory that a step works in, to be allocated once for any number of steps and worlds. Nothing
// is kept in it from one step to the next. Returns NULL when memory runs out. Destroy takes NULL.
struct raim_world_workspace *raim_world_workspace_create(void);
void raim_world_workspace_destroy(struct raim_world_workspace *workspace);

// Plays one tick. `inputs` holds max_players inputs by slot, each in range; inputs of slots without
// a living player are ignored. `events` is emptied first; with a capacity of raim_events_bound no
// event is dropped. `map` must be the same in every step.
//
// Lag compensation follows Bernier, Latency Compensating Methods in Client/Server In-game Protocol
// Design, 2001. A shot starts where its shooter stands now and is aimed at the other players as the
// shooter saw them, `rewind` ticks ago. Its bullet is therefore launched in that tick and flies
// through the recorded ticks up to the present, past the other players' earlier positions, and is
// stopped by obstacles. From then on it is an ordinary bullet.
void raim_world_step(struct raim_world *world, const struct raim_map *map, const raim_input *inputs,
                     struct raim_events *events, struct raim_world_workspace *workspace);

// Plays one tick of a world without players whose recorded ticks are without players, too: the
// result equals that of raim_world_step.
void raim_world_skip_tick(struct raim_world *world);

// Returns the world's max_players players, by slot.
static inline raim_player *raim_world_players(struct raim_world *world)
{
    return (raim_player *)(world + 1);
}

static inline const raim_player *raim_world_players_const(const struct raim_world *world)
{
    return (const raim_player *)(world + 1);
}

// Returns the world's max_bullets bullets. Each player's slots are contiguous, in the order of the
// players.
static inline raim_bullet *raim_world_bullets(struct raim_world *world)
{
    return (raim_bullet *)(raim_world_players(world) + world->max_players);
}

static inline const raim_bullet *raim_world_bullets_const(const struct raim_world *world)
{
    return (const raim_bullet *)(raim_world_players_const(world) + world->max_players);
}

// Returns the positions of all players, by slot, in one of the last history_length ticks; see
// position_history.h. Only for worlds with a max_rewind.
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

// Returns the position of a bullet, in units, when `tick` begins.
static inline raim_vec2 raim_bullet_position(const raim_rules *rules, const raim_bullet *bullet,
                                             uint32_t tick, uint32_t tick_hz)
{
    const double flown_s = (double)raim_tick_diff(tick, bullet->born_tick) / (double)tick_hz;
    return raim_vec2_mad(bullet->origin, bullet->direction,
                         rules->player_radius + rules->bullet_speed * flown_s);
}

#ifdef __cplusplus
}
#endif
