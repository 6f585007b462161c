// SPDX-License-Identifier: MIT
// Deterministic simulation of a whole arena without threads, sockets or clocks: the real match and
// real clients, played by the bots' brain from the clients' view, over a simulated network.
// Invariants are checked after every event; the first violation is printed with the arena's seed
// and step. The same def and calls give the same netsim, to the bit.
#pragma once

#include "bot.h"
#include "client.h"
#include "match.h"
#include "network.h"

#include <stdbool.h>
#include <stdint.h>

#define NETSIM_MAX_PLAYERS 64

// Deviations of a player from an honest client; any function may be NULL.
struct netsim_liar {
    void *context;
    // A bot is about to think for the input of a tick; may change what it sees.
    void (*see)(void *context, uint32_t player, uint32_t tick, struct raim_bot_observation *sight);
    // Called after the bot has computed an input, which it may change.
    void (*press)(void *context, uint32_t player, raim_input *input);
    // An INPUT is about to be sent, in `capacity` bytes; returns its new size.
    size_t (*send)(void *context, uint32_t player, uint8_t *bytes, size_t size, size_t capacity);
    // For how long the transport's acknowledgements are held back now, in ms.
    double (*held_ms)(void *context, uint32_t player);
};

struct netsim_def {
    const struct raim_map *map;                    // borrowed
    uint32_t players;                              // clients, 1 to NETSIM_MAX_PLAYERS
    struct network_line lines[NETSIM_MAX_PLAYERS]; // each player's
    uint32_t lag_compensation_ms;                  // as of raim_match_def
    raim_rules rules;
    bool peaceful;                  // no player fires
    const struct netsim_liar *liar; // borrowed; NULL: all are honest
    uint64_t seed;
};

// A def for players whose lines are alike.
struct netsim_def netsim_def_of(const struct raim_map *map, uint32_t players,
                                const struct network_line *line, uint64_t seed);

// What a player's client did since netsim_measure. Counts are sums, the others means over time
// unless they say otherwise.
struct netsim_figures {
    uint32_t samples;       // of the means
    uint64_t inputs_due;    // ticks in which the server played the player's input
    uint64_t inputs_missed; // of these, missed by the server's own tally
    uint64_t inputs_wrong;  // of these, in truth played with other keys than the client pressed
    uint64_t inputs_sent;   // INPUTs that the client sent
    uint64_t events_repeated, snapshots; // that came to the client
    uint64_t predictions;                // of the own player
    uint64_t mispredictions;             // of these, wrong ones
    double corrections_units;
    double round_trip_ms, jitter_ms, margin;
    double view_delay_ms, interpolation_ms;
    double farthest_jump;  // units that somebody shown was farther off than it can run: the most
    uint64_t exact_frames; // that were found to show the own player where the server has it
    uint64_t resumes;
    // The other players as shown, compared with the world at the tick shown.
    double position_error_units;
    double aim_error_degrees;
    double aim_shake_degrees; // by which the aims' turns differ from picture to picture
    double lacking_share;     // of the players in sight, by frames
    uint64_t shots, hits;     // as the server counts
};

struct netsim;

// NULL when memory runs out.
struct netsim *netsim_create(const struct netsim_def *def);
void netsim_destroy(struct netsim *netsim);

// Goes on until the server has played its next tick. False once something that must be true is not.
bool netsim_step(struct netsim *netsim);

// Runs steps for a number of seconds.
bool netsim_run(struct netsim *netsim, double seconds);

// Goes on until every client plays, and for some seconds more.
bool netsim_enter(struct netsim *netsim, double seconds);

// Lets all bots hold their fire from now on, waits until everybody must have been told everything,
// and checks that all clients know the scores that the server knows.
bool netsim_settle(struct netsim *netsim);

// Whether every client plays.
bool netsim_all_play(const struct netsim *netsim);

// A player's line changes, for what is sent from now on.
void netsim_set_line(struct netsim *netsim, uint32_t player, const struct network_line *line);

// A player's address changes.
void netsim_rebind(struct netsim *netsim, uint32_t player);

// Begins to measure anew, all players.
void netsim_measure(struct netsim *netsim);
struct netsim_figures netsim_figures(const struct netsim *netsim, uint32_t player);
struct netsim_figures netsim_figures_of_all(const struct netsim *netsim);

// The time, in whole ms, within which this share of the events since netsim_measure has reached a
// client.
double netsim_event_ms(const struct netsim *netsim, double share);

uint64_t netsim_now_us(const struct netsim *netsim);
const struct raim_match *netsim_match(const struct netsim *netsim);
const struct raim_client *netsim_client(const struct netsim *netsim, uint32_t player);
raim_player_id netsim_player_id(const struct netsim *netsim,
                                uint32_t player); // RAIM_NOBODY: none yet
