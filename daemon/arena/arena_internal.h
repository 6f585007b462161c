// SPDX-License-Identifier: MIT
// The structure of an arena, private to the files that implement it: arena_open.c opens and closes
// it, arena.c runs the ticks, arena_matches.c changes the match, arena_masters.c speaks to masters.
#pragma once

#include "a2s_cache.h"
#include "access_control.h"
#include "arena.h"
#include "arena_checkpoint.h"
#include "arena_commands.h"
#include "arena_load.h"
#include "arena_recording.h"
#include "crypto.h"
#include "event_queue.h"
#include "ip_address.h"
#include "reservations.h"
#include "round_report.h"
#include "triple_buffer.h"
#include "used_tokens_file.h"

#include <stdatomic.h>
#include <stdint.h>

// Reports the votes of an arena's match to the main thread: that one was called, and how it ended,
// with the address of the player whom a kick meets. Worker thread.

struct arena;

struct arena_votes {
    uint32_t number;           // of the newest vote that was seen
    uint32_t called;           // of the newest vote that was reported as called
    struct ip_address address; // of the target of vote `number`, as it was last seen; none: unknown
};

// Notes where the target of the running vote is. Call it before each step.
void arena_votes_watch(struct arena *arena);

// Reports what has happened since the last call. Call it after each step.
void arena_votes_run(struct arena *arena);

// Tells the match where a client is from, as keyed hashes of its address, or IPv6 /64, and of its
// network. Call it when a client has connected.
void arena_votes_note_origin(struct arena *arena, uint32_t peer);

#define NS_PER_S UINT64_C(1000000000)

// Thread rule: stated by each part. While no worker runs the arena, before arena_start and after
// arena_release, the main thread may touch every part.
struct arena {
    // Written when the arena is opened; both threads read it.
    struct {
        uint16_t port;
        uint64_t tick_ns;     // period
        uint32_t status_rows; // capacity of the status, in players
        uint32_t max_players, max_spectators, connections;
        bool is_on_demand;
        struct used_tokens_file *used_tokens; // NULL: used tokens cannot be recorded. Both sides
        struct raim_match_guard guard;
        const struct wakeup *wakeup;                       // of the main thread
        uint8_t origin_key[RAIM_CRYPTO_SIPHASH_KEY_BYTES]; // of addresses, for the match
    } opened;

    // Only the worker touches it.
    struct {
        struct prepared_match *current;    // is played, with config and match below
        const struct config_arena *config; // of `current`
        struct raim_match *match;          // of `current`
        struct prepared_match *next;       // begins with the next round; NULL: none
        struct transport *transport;
        struct access_control *access_control; // NULL: no client needs a token
        struct reservations *reservations;     // reserved; NULL: none
        struct event_queue *queue;             // NULL: nobody reads it
        uint32_t ended_round;                  // the newest whose end was reported; 0: none
        struct arena_commands commands;
        struct arena_votes votes;
        struct arena_checkpoint checkpoint;
        struct arena_recording recording;
        struct a2s_cache a2s_cache;
        struct masters masters;
        struct raim_match_player *rows;
        uint64_t deadline_ns; // of the next tick, CLOCK_MONOTONIC
        bool is_asleep;       // see arena_is_asleep
        bool is_readable;     // while asleep: a datagram waits
        uint64_t leave_ns;    // CLOCK_MONOTONIC; 0: it stays
        uint64_t late_ticks, skipped_ticks;
        struct histogram durations, latenesses, pings, pauses;
        uint32_t tick_us[ARENA_TICK_WINDOW]; // ring
        uint32_t tick_us_count;              // ever
        struct snapshot_pace pace;
        struct tick_timer timer; // of the present tick
        struct tick_profile profile;
        struct raim_match_observer observer; // that runs the timer
        uint32_t publish_in;                 // ticks
        uint32_t published;                  // times
        bool has_news;                       // wakes the main thread after this tick
    } worker;

    // Only the main thread touches it.
    struct {
        const struct prepared_match *current;    // the newest that the worker has begun
        const struct prepared_match *next_offer; // the newest offered for the next round
        struct rejection_log rejections;
        struct overload overload;
        bool sheds;             // the log has said that the arena sends fewer snapshots
        bool is_marking_tokens; // see arena_poll_token_marking
        struct store *store;    // NULL: there are no portable checkpoints
        enum masters_standing standings[CONFIG_MAX_MASTERS]; // that the log has said
    } main;

    // Both touch it at any time: each member is atomic or a queue between two threads.
    struct {
        struct prepared_match_stack offered; // to the worker
        struct prepared_match_stack played;  // to the main thread
        struct mailbox mailbox;              // of struct command; the main thread sends
        struct triple_buffer status;         // the worker publishes
        struct triple_buffer masters;        // struct masters_list; the main thread publishes
        _Atomic uint32_t players;            // clients that play
        _Atomic uint32_t ticks;
        _Atomic uint64_t ticked_ms;
        _Atomic bool admits_tokens;    // that they are in use is on the disk
        _Atomic bool keeps_checkpoint; // for the next process
        _Atomic bool is_released;
    } shared;
};

// Sends the heartbeats that are due, and whether there were any. Call it between two ticks.
bool arena_masters_run(struct arena *arena);

// Tells the masters that the arena ends.
void arena_masters_end(struct arena *arena);

// Answers a getinfo that admission has admitted.
void arena_masters_answer(struct arena *arena, struct udp_address to, const uint8_t *data,
                          size_t size);

// Marks as taken the reserved slots of players who play in a restored match or have left its round.
void arena_take_reservations(struct arena *arena);

// Makes a prepared match the current one: applies its configuration to the transport, the
// checkpoint and the access control.
void arena_play_match(struct arena *arena, struct prepared_match *prepared);

// Begins the offered matches that are due. Call it between two ticks.
void arena_take_offers(struct arena *arena);

// Watches the rounds of an arena and reports each one that has ended, once. Worker thread, or the
// thread that has the arena.

// Reports the round whose break has begun. Call it after each tick.
void arena_rounds_run(struct arena *arena);

// Reports a round that has begun and is cut short, unless its end was reported. Call it before the
// match is replaced or ended.
void arena_rounds_cut(struct arena *arena, enum round_end ended);
