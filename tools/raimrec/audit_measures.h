// SPDX-License-Identifier: MIT
// Measures of the audit: statistics of each player of a recording that help a referee judge it, and
// the distribution in which most of them are counted. docs/audit.md says what each measure means
// and where it comes from. The caller steps the world and passes in each tick; nothing here does
// I/O. Thread rule: an audit or distribution belongs to one thread at a time. Only
// audit_measures_create and audit_measures_tick, for a player whom it did not see before, allocate.
//
// What a player had on its screen when it gave the input of tick T: itself where it was when T
// began, and the others as many ticks earlier as its last shot was rewound (lag compensation), or,
// before its first shot, as its round trip is long. So neither reactions nor aims contain the
// network's delay.
#pragma once

#include "angle.h"
#include "map.h"
#include "wire_limits.h"
#include "world.h"

#include <stdbool.h>
#include <stdint.h>

// Distribution of a measure: quantiles of any number of values in a fixed size. Log-linear buckets
// after HdrHistogram (Tene, 2012): values below 64 are counted exactly, greater ones in 32 buckets
// an octave, so that a quantile is off by less than 1/64 of its value. The least and the greatest
// value are exact.

#define DISTRIBUTION_LINEAR 64        // values below are counted one by one
#define DISTRIBUTION_PER_OCTAVE 32    // buckets of each octave above
#define DISTRIBUTION_OCTAVES 14       // above DISTRIBUTION_LINEAR
#define DISTRIBUTION_LIMIT (1u << 20) // values from here on are counted as the greatest below

// All zero: empty.
struct distribution {
    uint64_t count;
    uint32_t least, greatest; // of all values; 0 without any
    uint32_t buckets[DISTRIBUTION_LINEAR + DISTRIBUTION_OCTAVES * DISTRIBUTION_PER_OCTAVE];
};

// Counts a value.
void distribution_add(struct distribution *distribution, uint32_t value);

// Returns the value that a share of all values, 0 to 1, does not exceed (nearest rank); 0 without
// any value.
double distribution_quantile(const struct distribution *distribution, double share);

// Returns the share of the values that are below a bound. It is exact for bounds up to
// DISTRIBUTION_LINEAR, otherwise the bucket of the bound counts as not below. 0 without any value.
double distribution_share_below(const struct distribution *distribution, uint32_t bound);

// Times and angles that the measures depend on; docs/audit.md repeats them.
#define AUDIT_MEMORY_S 1.0      // for which a player remembers whom it saw, and needs after a spawn
#define AUDIT_SIGHTING_S 0.5    // for which a target was out of sight before a sighting counts
#define AUDIT_REACTION_S 1.0    // after which an aim on a target is no reaction to its sighting
#define AUDIT_FAST_S 0.1        // reactions below are faster than any human's
#define AUDIT_SNAP_S 0.05       // the turn before a shot is taken over this time
#define AUDIT_SNAP_DEGREES 20.0 // turns before a shot from here on are snaps
#define AUDIT_FLICK_DEGREES 15.0 // a turn of one tick between two ticks below AUDIT_STILL_DEGREES
#define AUDIT_STILL_DEGREES 1.0
#define AUDIT_RETURN_DEGREES 5.0 // a turn for the tick of a shot that the next tick takes back
#define AUDIT_TRACKING_S 0.25    // shorter time on a hidden target is no tracking
#define AUDIT_BURST 4            // inputs that arrive in one tick
#define AUDIT_MAX_TARGETS 64     // of a player in a tick; those in higher slots are not looked at
#define AUDIT_MAX_PLAYERS 2048   // rows; players who come later are counted only

// Aim on enemies that a player could not see, counted in ticks in which it saw nobody.
struct audit_hidden {
    uint64_t ticks;    // with at least one such enemy on the player's screen, behind an obstacle
    uint64_t on_ticks; // of these, those in which the aim was on one
    double chance;     // what on_ticks would be if the aims were random
    uint32_t shots;    // fired at one
    uint32_t hits;     // of these shots
};

// A player from its join to its leave. Ticks are of the recording's rate.
struct audit_player {
    raim_player_id id;
    char name[RAIM_MAX_NAME_BYTES + 1]; // cleaned; "?" where that is impossible
    bool bot;
    uint64_t present_ticks; // in which it was in the arena, breaks and pauses left out
    uint64_t alive_ticks;   // of these

    uint32_t shots, hits, kills, deaths;
    uint32_t shots_at_seen;                // fired while an enemy was in sight
    uint32_t shots_on_target;              // of these, those with the aim on one
    uint32_t shots_at_moving, hits_moving; // the nearest to the aim ran; hits of these shots
    struct distribution aim_error;         // of shots_at_seen, binary angle, see aim_error
    struct distribution snap;              // largest turn before a shot, binary angle
    uint32_t snaps;                        // shots after AUDIT_SNAP_DEGREES or more
    uint32_t flicks;                       // shots in a turn of one tick between still aims
    uint32_t returns;                      // shots in a turn that was taken back at once
    struct distribution turn;              // per tick alive, binary angle

    uint32_t hits_in_past;      // in ticks that the bullet flew through when it was fired
    struct distribution rewind; // of hits, ticks
    uint32_t hits_at_limit;     // rewound by the arena's most
    uint32_t clamped_shots;     // that claimed an older view than the client can have had

    uint32_t sightings;           // an enemy came into sight as the only one
    uint32_t aimed_before;        // of these, those with the aim on it in the tick before
    double aimed_before_chance;   // what aimed_before would be if the aims were random
    struct distribution reaction; // ticks from a sighting to the first aim on the enemy

    struct audit_hidden sent;   // hidden enemies that the player's client was sent in advance
    struct audit_hidden unsent; // hidden enemies that it was not sent; of bots, all hidden ones
    uint64_t tracking_ticks;    // aim on the same hidden enemy while it turned with it
    uint32_t longest_tracking;  // ticks

    uint64_t client_ticks;          // in which traffic was known
    uint64_t inputs;                // INPUT messages that arrived
    uint32_t bursts;                // ticks with AUDIT_BURST of them or more
    uint32_t most_inputs;           // in one tick
    uint32_t longest_gap;           // ticks without any
    uint64_t missed;                // ticks that were played without the input in time
    struct distribution round_trip; // ms, one a second
    double round_trip_changes;      // sum of the differences between two in a row, ms
};

// What the recording says of a slot's player beside the world.
struct audit_client {
    const char *name; // of any bytes; borrowed; read when the player is seen first
    bool bot;
    bool has_traffic;       // the members below are known
    const uint64_t *sent;   // set of player slots that were sent; borrowed; NULL: unknown
    uint32_t arrivals;      // INPUT messages that arrived
    bool missed, clamped;   // see struct audit_player; of the tick's input
    uint32_t round_trip_ms; // UINT32_MAX: no new measurement in this tick
};

// One tick that has been played.
struct audit_tick {
    const struct raim_world *world;     // after the step
    const struct raim_events *events;   // of the step
    const raim_input *inputs;           // of the step, by slot
    const struct audit_client *clients; // by slot
    bool frozen;                        // in a break or a pause, when nobody moves
};

struct audit_def {
    const struct raim_map *map; // borrowed
    raim_rules rules;
    uint32_t tick_hz;
    uint32_t max_players;
    uint32_t bullets_per_player;
    uint32_t max_rewind;
    raim_vec2 view; // width and height of every player's screen, units
    bool sight;     // obstacles hide what is behind them
};

struct audit_measures;

// Returns NULL when memory runs out. The values must be in range. Destroying NULL does nothing.
struct audit_measures *audit_measures_create(const struct audit_def *def);
void audit_measures_destroy(struct audit_measures *measures);

// Takes the next tick; ticks must follow one another. Returns false when memory runs out.
bool audit_measures_tick(struct audit_measures *measures, const struct audit_tick *tick);

// The ticks that were taken.
uint64_t audit_measures_ticks(const struct audit_measures *measures);

// Returns the players in the order of their joins, up to AUDIT_MAX_PLAYERS; `left_out` receives the
// number of further ones.
const struct audit_player *const *audit_measures_players(const struct audit_measures *measures,
                                                         uint32_t *count, uint32_t *left_out);

// Converts a turn in binary angle, as the measures have it, to degrees.
double aim_degrees(double turn);
