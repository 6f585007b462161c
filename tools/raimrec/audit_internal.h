// SPDX-License-Identifier: MIT
// Internals of the measures, private to the files audit_*.c.
#pragma once

#include "audit_measures.h"
#include "visibility.h"

#define AUDIT_HISTORY 64 // ticks for which positions are kept, a power of two
#define AUDIT_AIMS 16    // aims kept of each player: AUDIT_SNAP_S at 240 Hz, and some

// A player when a tick began.
struct audit_sample {
    raim_vec2 position;
    raim_player_id id;
    uint8_t life;
    bool alive;
};

// What a viewer knows of a target. Ticks are counted by the measures, from 1 on; 0: never.
struct audit_pair {
    uint32_t seen;      // the last tick in which the target was in sight
    uint32_t sent;      // the last tick in which it was sent
    uint32_t since;     // of a sighting whose reaction is awaited; 0: none
    uint16_t on_ticks;  // consecutive ticks with the aim on the target while it is hidden
    raim_angle on_from; // the aim in the first of them
    uint8_t life;       // of the target, for which all this holds
    bool is_tracked;    // the aim turned with the hidden target
};

// What a viewer's tick was like, for the shots in it.
struct audit_view {
    uint32_t visible; // enemies in sight
    bool on_visible;  // the aim is on one
    bool is_moving;   // the one nearest to the aim ran
    uint32_t error;   // of the aim to that one
    struct audit_hidden
        *hidden; // the player at whom the aim points while no player is in sight; NULL: none
};

// A shot in flight.
struct audit_shot {
    uint32_t tick; // the world's, in which it was fired
    bool is_open;  // may still hit
    bool at_moving;
    struct audit_hidden *hidden; // see struct audit_view
};

struct audit_slot {
    struct audit_player *player; // the present one; NULL: none, or left out
    raim_player_id id;           // RAIM_NOBODY: none
    uint32_t view_delay;         // ticks, of its last shot
    bool has_fired;
    uint32_t gap;                // ticks since the last INPUT
    uint32_t round_trip_ms;      // UINT32_MAX: unknown
    uint32_t alive_since;        // tick of the present life; 0: not alive
    raim_angle aims[AUDIT_AIMS]; // by tick
    uint32_t aims_count;         // of the present life
    bool is_clamped;             // the view that the tick's input claimed
    bool fired_before;           // in the previous tick
    struct audit_view view;
};

struct audit_measures {
    struct audit_def def;
    uint32_t tick;       // ticks taken
    uint32_t world_tick; // the world's when the present tick began
    struct raim_visibility *visibility;
    struct audit_slot *slots;     // by slot
    struct audit_sample *history; // AUDIT_HISTORY ticks of max_players samples
    struct audit_pair *pairs;     // by viewer, then target
    struct audit_shot *shots;     // bullets_per_player of each slot
    struct audit_player **players;
    uint32_t player_count, player_capacity, left_out;
    uint32_t snap_ticks, memory_ticks, sighting_ticks, reaction_ticks, tracking_ticks;
};

// The player in `slot` as it was when the tick `age` ticks before the present one began.
static inline const struct audit_sample *audit_sample_at(const struct audit_measures *measures,
                                                         uint32_t slot, uint32_t age)
{
    return &measures->history[(measures->tick - age) % AUDIT_HISTORY * measures->def.max_players +
                              slot];
}

// The aim of a player `age` ticks ago; 0 is the present tick's.
static inline raim_angle audit_aim_at(const struct audit_measures *measures,
                                      const struct audit_slot *slot, uint32_t age)
{
    return slot->aims[(measures->tick - age) % AUDIT_AIMS];
}

// Whom the player in `viewer`, alive when the tick began, sees and aims at: audit_aim.c.
void audit_aim_tick(struct audit_measures *measures, uint32_t viewer, const uint64_t *sent);

// Shots, hits and the turns of aims: audit_aim.c. The view of the tick must be known.
void audit_shots_turn(struct audit_measures *measures, struct audit_slot *slot);
void audit_shots_take(struct audit_measures *measures, const struct audit_tick *tick);

// Aim geometry of the audit: how far an aim turned, and whether it was on a target. Units:
// positions and radii are in units, turns in binary angle (angle.h). Thread rule: the functions are
// pure.

// Returns the angle between two aims, 0 to half a turn.
uint32_t aim_turn(raim_angle a, raim_angle b);

// What an aim may be meant for: a circle, and where it will be when a bullet reaches it. Shooters
// aim anywhere between the two, so the target is the circle swept from one to the other.
struct aim_target {
    raim_vec2 now, lead; // relative to the shooter
    double radius;       // positive
};

// Returns the target that a player at `position`, who moves by `velocity` units/s, is for a shooter
// at `eye` whose bullets fly at `bullet_speed` units/s for at most `lifetime` s. The lead is of
// first order: the way of the player while a bullet flies the present distance.
struct aim_target aim_target_at(raim_vec2 eye, raim_vec2 position, raim_vec2 velocity,
                                double radius, double bullet_speed, double lifetime);

// Whether a ray from the shooter in the direction of `aim` meets the target.
bool aim_is_on(raim_angle aim, const struct aim_target *target);

// Returns the angle by which an aim misses the centre of the target, now or led, whichever is
// nearer; 0 between the two.
uint32_t aim_error(raim_angle aim, const struct aim_target *target);

// Returns the angle that the target takes of the shooter's surroundings, up to a full turn.
uint32_t aim_width(const struct aim_target *target);
