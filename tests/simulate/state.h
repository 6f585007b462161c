// SPDX-License-Identifier: MIT
// The state of a simulation, private to the files of this directory.
#pragma once

#include "bot.h"
#include "client.h"
#include "heap.h"
#include "judge.h"
#include "match.h"
#include "network.h"
#include "simulation.h"

enum {
    TICK_HZ = 60,
    SECOND_US = 1000000,
    LENGTH_S = 240,
    MAX_SEATS = 12,
    MAX_HANDLES = 96,
    MAX_SLOTS = 32,
    KEPT_WORLDS = 128,  // ticks
    KEPT_ROSTERS = 512, // numbers of events
    MAX_RECORDED = 16,
    NO_CONNECTION = -1,
};

// One client, honest or not.
struct peer {
    uint32_t index;
    bool is_liar, watches;
    uint64_t random;
    struct raim_client *client; // NULL until `begin_us`
    uint64_t begin_us;
    struct raim_bot brain;
    int connection;
    uint64_t poll_us;
    uint32_t polls;
    struct network_line line; // without faults
    // Its clock: `local_us` at `since_us`, and its speed from then on.
    uint64_t local_us, since_us;
    double clock_rate;
    bool is_stalled, has_odd_name, mutates;
    uint64_t lie_random; // of `mutates`

    // What the invariants remember of it.
    enum raim_client_state state;
    uint64_t playing_since_us;
    uint64_t entries, resumes, snapshots; // of its stats
    raim_player_id id;
    uint32_t round, score;  // as it was told
    bool was_announced;     // the operator has said something in this entry
    uint64_t announcement;  // the number that was said last
    uint32_t roster_events; // number of events up to which its roster has been checked
    uint64_t settled_us;    // when what was sent before the quiet time has arrived
};

// A message that an honest client sent.
struct recorded {
    bool reliable;
    size_t size;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
};

struct simulation {
    struct simulation_def def;
    struct simulation_verdict *verdict;
    struct fault_schedule schedule;
    uint64_t random;
    uint64_t now_us;
    uint32_t step;
    bool is_failed;
    const struct fault_quiet *quiet; // NULL: faults may hold

    // --- server.c ---
    struct raim_match *match;
    struct raim_match_def match_def;
    uint32_t bound_tick;
    bool is_connected[MAX_HANDLES]; // by the handle: the match knows of the connection
    struct network *network;
    uint8_t *checkpoint;
    size_t checkpoint_bytes;
    struct raim_match_def checkpoint_def;
    uint32_t checkpoint_events, checkpoint_step;
    bool crashes_now; // before the messages of this step are sent
    uint64_t announcements;
    struct simulation_take *take; // of the match's recording

    struct peer peers[MAX_SEATS];
    uint32_t peer_count, honest_count;
    struct recorded recorded[MAX_RECORDED];
    uint32_t recorded_count;

    // --- invariants.c ---
    struct judge judge;
    raim_box *bounds;                       // of the map's outlines
    struct raim_world *worlds[KEPT_WORLDS]; // by tick modulo KEPT_WORLDS
    bool has_world[KEPT_WORLDS];
    uint32_t world_bytes;
    struct {
        bool is_valid;
        uint32_t events;
        uint64_t hash;
    } rosters[KEPT_ROSTERS]; // by events modulo KEPT_ROSTERS
    uint32_t events_by_step[4 * TICK_HZ];
    uint32_t tick_before;
    struct raim_match_counts counts_before;
    struct raim_match_round round_before;
    bool has_before; // the match is the one that was played in the last step
    raim_player players_before[MAX_SLOTS];
    uint16_t overlapped[MAX_SLOTS][MAX_SLOTS]; // steps
    uint64_t quiet_blocks;                     // most, in the first quiet times
    uint32_t quiet_count;
    struct judge_positions viewer_positions, target_positions;
};

// --- simulation.c ---

// The first invariant that does not hold decides.
__attribute__((format(printf, 3, 4))) void fail(struct simulation *simulation,
                                                const char *invariant, const char *format, ...);

// --- peer.c: a client ---

void peer_begin(struct simulation *simulation, struct peer *peer);
void peer_end(struct simulation *simulation, struct peer *peer, double again_s);
void peer_set_line(struct simulation *simulation, struct peer *peer,
                   const struct network_line *line);
uint64_t peer_now_us(const struct simulation *simulation, const struct peer *peer);
void peer_set_clock(struct simulation *simulation, struct peer *peer, double rate);
void peer_poll(struct simulation *simulation, struct peer *peer);
void peer_deliver(struct simulation *simulation, const struct network_delivery *delivery);
void peer_send(struct simulation *simulation, struct peer *peer, bool reliable, uint8_t *bytes,
               size_t size);

// --- server.c: the match and its checkpoints ---

bool server_begin(struct simulation *simulation);
void server_end(struct simulation *simulation);
void server_deliver(struct simulation *simulation, const struct network_delivery *delivery);
void server_step(struct simulation *simulation);
void server_crash(struct simulation *simulation);
void server_restart(struct simulation *simulation);
void server_change_map(struct simulation *simulation, uint64_t *random);

// --- recordings.c: each match is recorded, and the recording replayed ---

// Begins to record a match that is bound; takes what a tick recorded; replays it before the match
// is destroyed.
void recordings_begin(struct simulation *simulation);
void recordings_take(struct simulation *simulation);
void recordings_end(struct simulation *simulation);

// --- rules.c: what each kind of fault does ---

void fault_begin(struct simulation *simulation, struct fault *fault);
void fault_during(struct simulation *simulation, struct fault *fault);
void fault_end(struct simulation *simulation, struct fault *fault);

// --- invariants.c: of the match ---

void invariants_forget_match(struct simulation *simulation);
void invariants_release(struct simulation *simulation);
void invariants_check_step(struct simulation *simulation);
void invariants_check_restored(struct simulation *simulation);

// --- client_invariants.c: of the clients ---

void invariants_check_client(struct simulation *simulation, struct peer *peer);
void invariants_check_entry(struct simulation *simulation, struct peer *peer);
void invariants_take_events(struct simulation *simulation, struct peer *peer);
void invariants_check_quiet(struct simulation *simulation);
