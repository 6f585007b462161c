// SPDX-License-Identifier: MIT
// An arena: a match, its transport and its timer, driven by the worker that owns it, and the
// status block that it publishes for the main thread.
#pragma once

#include "config.h"
#include "histogram.h"
#include "mailbox.h"
#include "match.h"
#include "overload.h"
#include "prepared_match.h"
#include "rejection_log.h"
#include "socket_activation.h"
#include "transport.h"
#include "wakeup.h"

#include <stdbool.h>
#include <stdint.h>

// Tick durations kept for the percentiles: about 17 s at 60 Hz.
#define ARENA_TICK_WINDOW 1024

struct arena;

// Bullets that the status tells of at most, for who looks on: in a crowd, not every one.
#define ARENA_SHOWN_BULLETS 1024

// Where something is, in whole units: RAIM_MAP_REACH fits.
struct arena_spot {
    int16_t x, y;
};

// What the status tells of one player.
struct arena_player {
    struct raim_match_player match;
    struct arena_spot spot; // like the two below, only of the living
    raim_angle aim;
    bool alive, shielded;
    uint32_t ping_ms; // 0 for bots and those who are away
    uint32_t address; // IPv4, in the machine's byte order; likewise. For no public answer
};

// A consistent merged of an arena between two ticks.
struct arena_status {
    uint32_t tick;
    uint64_t late_ticks;         // began more than a quarter of a tick after their deadline
    uint64_t skipped_ticks;      // given up because the arena was too far behind
    struct histogram durations;  // of ticks
    struct histogram latenesses; // of ticks, from the deadline to the beginning
    struct raim_match_round round;
    struct raim_match_counts counts;
    struct transport_stats transport;
    uint32_t tick_us_count;              // durations in the window
    uint32_t tick_us[ARENA_TICK_WINDOW]; // microseconds, in no particular order
    uint32_t bullet_count;
    struct arena_spot bullets[ARENA_SHOWN_BULLETS];
    uint32_t player_count;
    struct arena_player players[]; // as many as the arena has places
};

// Opens the arena's port, unless its socket is among those sockets. Returns NULL and writes a
// reason into `error`. Copies the config, which is one of the owner's, and shares the owner.
// Borrows `wakeup`, which the arena's worker signals when it has answered a command, has given back
// a prepared, has lost its last player or lets the arena go.
struct arena *arena_create(struct config *owner, const struct config_arena *config,
                           struct socket_activation *sockets, const struct wakeup *wakeup,
                           char *error, size_t capacity);

// No worker may run it. Takes NULL.
void arena_destroy(struct arena *arena);

uint16_t arena_port(const struct arena *arena);

// --- The owning worker's side ---

// Goes on where the last process left the arena (see arena_checkpoint.h), and arms its timer so
// that its first tick is due `offset_ns` from now.
void arena_start(struct arena *arena, uint64_t offset_ns);

// The timer's descriptor, readable when a tick is due.
int arena_timer(const struct arena *arena);

// Runs the ticks that are due, a few at most. False when the arena has left: the worker lets go.
bool arena_run(struct arena *arena);

// Tells every client that the server ends. Then arena_is_empty, called every few milliseconds,
// moves the datagrams and says when everybody knows.
void arena_say_goodbye(struct arena *arena);
bool arena_is_empty(struct arena *arena);

// Says goodbye, and has arena_run move the datagrams instead of playing, until everybody knows or
// the time is up.
void arena_leave(struct arena *arena, uint32_t timeout_ms);

// The last that its worker does with an arena.
void arena_release(struct arena *arena);

// --- Any thread ---

// The end to come is only that of this process: those who play are told that it restarts, and what
// they play is kept, where there is a directory for it.
void arena_keep_checkpoint(struct arena *arena);

// The number of ticks run so far; for the watchdog.
uint32_t arena_ticks(const struct arena *arena);

// The number of clients that play, as of the newest tick. Once COMMAND_DRAIN is answered it does
// not grow.
uint32_t arena_playing(const struct arena *arena);

// When the newest tick ended, in ms of CLOCK_MONOTONIC; 0 before the first.
uint64_t arena_ticked_ms(const struct arena *arena);

// Whether it belongs to no worker any more, but to the main thread.
bool arena_is_released(const struct arena *arena);

// --- The main thread's side ---

// What is played by as of the last arena_collect, and where in the rotation that is. Valid until
// the next one.
const struct config_arena *arena_config(const struct arena *arena);
const struct prepared_match *arena_prepared_match(const struct arena *arena);

// Whether a configuration asks for no more than the arena was opened for: its sockets and places;
// bots leave room for as many players as it was opened for.
bool arena_fits_players(const struct arena *arena, uint32_t max_players);
bool arena_fits_spectators(const struct arena *arena, uint32_t max_spectators);
bool arena_fits_bots(const struct arena *arena, uint32_t bots);

// A prepared with a new match for this arena, to be offered; takes a while. NULL when memory runs
// out.
struct prepared_match *arena_prepare(const struct arena *arena, const struct config_arena *config,
                                     struct config *owner);

// Takes a prepared, to be played from the next tick or, where it is not `at_once`, the next round
// on. A later offer for the next round takes the place of an earlier one; one at once with a match,
// too.
void arena_offer(struct arena *arena, struct prepared_match *prepared);

// Whether a prepared is on offer for the next round.
bool arena_has_next_offer(const struct arena *arena);

// Frees what has been played. True when another match is played than at the last call.
bool arena_collect(struct arena *arena);

// Where to post a struct command; the arena does what it says before its next tick.
struct mailbox *arena_mailbox(struct arena *arena);

// What of its refusals was told.
struct rejection_log *arena_rejection_log(struct arena *arena);

// Whether it keeps up.
struct overload *arena_overload(struct arena *arena);

// The newest published status, valid until the next call for this arena; never waits. Before the
// first tick it is all zero.
const struct arena_status *arena_status(struct arena *arena);
