// SPDX-License-Identifier: MIT
// An arena: one match with its transport and the deadlines of its ticks. The worker thread that
// owns the arena drives it, and publishes a status block that the main thread reads.
//
// What always holds:
// - The worker alone touches the match, the transport and the files of an arena while it runs. The
//   main thread sends commands by the mailbox and matches by pointer, and reads the status and the
//   queue of reports. struct arena (arena_internal.h) has a part for each side and one for both.
// - Deadlines of ticks are absolute: a late tick does not move the next one.
// - A datagram is judged by daemon/security before ENet parses it, and acts in the tick that reads
//   it.
// - A change of score or roster is in the checkpoint before any client is sent it.
// - A running arena allocates nothing in a tick and takes no lock. The main thread makes matches,
//   and frees those that have ended.
// - A message to a client never exceeds one datagram.
//
// What reads as a bug and is none:
// - Reading ends after a quarter of a tick: what is left waits in the kernel, where a flood of it
//   is lost, and not the tick.
// - An arena in which nobody is plays no steps and shares four wake-ups a tick with others.
// - The status is up to a tenth of a second old, and commands are answered in a later tick.
// - A full queue of reports loses chat and kills. Who came and left, and how rounds ended, is
//   compared anew and reported later.
// - Snapshots become fewer under overload; ticks and inputs do not.
#pragma once

#include "arena_load.h"
#include "checkpoint_file.h"
#include "config.h"
#include "mailbox.h"
#include "masters.h"
#include "match.h"
#include "metric.h"
#include "prepared_match.h"
#include "recorder.h"
#include "rejection_log.h"
#include "systemd.h"
#include "transport.h"
#include "wakeup.h"

#include <stdbool.h>
#include <stdint.h>

// Tick durations kept for the percentiles: about 17 s at 60 Hz.
#define ARENA_TICK_WINDOW 1024

struct arena;
struct event_queue;
struct reservations;
struct store;

// The most bullets that a status lists for the live page. In a crowded arena it lists only some.
#define ARENA_SHOWN_BULLETS 1024

// A position in whole units. RAIM_MAP_REACH fits into 16 bits.
struct arena_spot {
    int16_t x, y;
};

// One player in the status.
struct arena_player {
    struct raim_match_player match;
    struct arena_spot spot; // spot, aim and shielded are valid only while alive
    raim_angle aim;
    bool alive, shielded;
    uint32_t ping_ms;          // 0 for bots and absent players
    struct ip_address address; // none for bots and absent players. Not published
};

// A consistent snapshot of an arena between two ticks.
struct arena_status {
    uint32_t tick;
    uint64_t late_ticks;         // began more than a quarter of a tick late
    uint64_t skipped_ticks;      // not run because the arena was too late
    uint32_t snapshot_interval;  // ticks between two snapshots of a client; see arena_load.h
    struct histogram durations;  // of ticks
    struct histogram latenesses; // of ticks, from the deadline to the beginning
    struct histogram pings;      // of the connected players, by histogram_ping_bounds_ns
    struct histogram pauses;     // of those who resumed, by histogram_pause_bounds_ns
    struct raim_match_round round;
    bool has_vote;               // a vote runs
    struct raim_match_vote vote; // with has_vote
    struct raim_match_counts counts;
    struct transport_stats transport;
    struct masters_report masters;
    uint64_t rejected_checkpoints; // of the last process
    uint64_t lost_matches;         // likewise
    bool is_unsaved;               // the checkpoint cannot be written
    struct recorder_counts recordings;
    uint32_t tick_us_count;              // durations in the window
    uint32_t tick_us[ARENA_TICK_WINDOW]; // microseconds, in no particular order
    uint32_t tick_us_written;            // ticks of the arena when `tick_us` was last written
    struct tick_profile profile;
    uint32_t bullet_count;
    struct arena_spot bullets[ARENA_SHOWN_BULLETS];
    uint32_t player_count;
    struct arena_player players[]; // capacity: the status rows of the arena
};

// Opens the arena's port, or adopts its socket where `sockets` has it. Returns NULL and writes a
// reason into `error`. Copies `config`, which belongs to `owner`, and shares `owner`. Borrows
// `store`, where used access tokens are kept, or NULL, and `wakeup`: the arena's worker signals it
// after it has answered a command, returned a prepared match, lost its last player or released the
// arena. Main thread.
struct arena *arena_create(struct config *owner, const struct config_arena *config,
                           struct socket_activation *sockets, struct store *store,
                           const struct wakeup *wakeup, char *error, size_t capacity);

// Logs from which checkpoint an arena of this configuration would continue, without opening its
// port. Returns false if it would begin a new match in spite of a checkpoint, or when memory runs
// out. Changes no file.
bool arena_check(struct config *owner, const struct config_arena *config);

// Takes NULL. No worker may be running the arena. Removes the checkpoint of a match that has ended
// for good. Main thread.
void arena_destroy(struct arena *arena);

// Closes the port, which nobody can reach any more. No worker may be running the arena.
void arena_close_port(struct arena *arena);

// Reserves slots, which it takes. The arena must need access tokens. Main thread, before a worker
// runs the arena.
void arena_set_reservations(struct arena *arena, struct reservations *reservations);

// Stores that these arenas use access tokens, with one sync for all. The arenas reject tokens until
// that is written, and also if it fails. Main thread.
void arena_mark_tokens(struct arena *const *arenas, int count, struct store *store);

// Stores them under the name of a prepared match, which is not offered yet; the arena admits tokens
// meanwhile. An arena that is `leaving` under that name loses its record of tokens.
void arena_mark_renamed_tokens(struct arena *arena, struct prepared_match *renamed,
                               struct arena *leaving, struct store *store);

// Admits or rejects access tokens once their record is written, or cannot be. Returns whether it is
// still being written. Main thread.
bool arena_poll_token_marking(struct arena *arena);

// Makes the arena report its events. Returns false when memory runs out. Main thread, before a
// worker runs the arena.
bool arena_enable_event_queue(struct arena *arena);

// Makes the arena record what is played, as its configuration says. Returns false when memory runs
// out. Main thread, before a worker runs the arena.
bool arena_enable_recording(struct arena *arena, struct recorder *recorder);

uint16_t arena_port(const struct arena *arena);

// See checkpoint_guilt and checkpoint_excuse in checkpoint_file.h. Main thread, before a worker
// runs the arena.
enum checkpoint_guilt arena_guilt(const struct arena *arena);
void arena_excuse(struct arena *arena);

// Restores the match from the checkpoint of the previous process, and begins to save this one (see
// arena_checkpoint.h). Call it once, before a worker runs the arena. Creates a file, which may take
// long. Main thread.
void arena_restore(struct arena *arena);

// Has the store write the match's portable checkpoint if there is a newer one. Main thread.
void arena_post_checkpoint(struct arena *arena);

// --- The owning worker's side ---

// Sets the first tick to be due `offset_ns` from now.
void arena_start(struct arena *arena, uint64_t offset_ns);

// When arena_run is to be called next, in ns of CLOCK_MONOTONIC. The ticks of an arena that is
// awake are due at its own deadlines. Those of arenas that are asleep are due up to
// ARENA_SLEEP_SHARE later, so that they share the wake-ups of their worker; no tick is left out or
// added.
uint64_t arena_due_ns(const struct arena *arena);

// The share of a tick by which the tick of an arena that is asleep may be postponed: 1/4.
#define ARENA_SLEEP_SHARE 4

// Whether nobody is in the arena and nothing is under way. Its ticks then read the socket only
// after arena_mark_readable, which the worker calls before a tick if a datagram waits.
bool arena_is_asleep(const struct arena *arena);
void arena_mark_readable(struct arena *arena);

// The UDP socket.
int arena_socket(const struct arena *arena);

// Runs the ticks that are due, four at most. Returns false once the arena has finished
// leaving; the worker then releases it.
bool arena_run(struct arena *arena);

// Sends every client the end of the match or the restart of the server. After it, call
// arena_is_empty every few milliseconds: it moves the datagrams, and returns true once every
// connection is closed.
void arena_say_goodbye(struct arena *arena);
bool arena_is_empty(struct arena *arena);

// Calls arena_say_goodbye and makes arena_run move datagrams instead of running ticks, until every
// connection is closed or `timeout_ms` have passed.
void arena_leave(struct arena *arena, uint32_t timeout_ms);

// Gives the arena back to the main thread. The worker must not touch it afterwards.
void arena_release(struct arena *arena);

// --- Any thread ---

// Announces that the process ends but the match continues in the next one: clients are sent a
// restart, and the checkpoint is kept where $RUNTIME_DIRECTORY is set.
void arena_keep_checkpoint(struct arena *arena);

// The number of ticks run since the start, modulo 2^32. For the watchdog.
uint32_t arena_ticks(const struct arena *arena);

// The number of clients that play, as of the newest tick. It does not grow once COMMAND_DRAIN has
// been answered.
uint32_t arena_playing(const struct arena *arena);

// The end of the newest tick, in ms of CLOCK_MONOTONIC. Before the first tick: 0, or when an arena
// was made.
uint64_t arena_ticked_ms(const struct arena *arena);

// Whether the worker has released the arena to the main thread.
bool arena_is_released(const struct arena *arena);

// --- The main thread's side ---

// The configuration and the prepared match in use, as of the last arena_collect. The pointers are
// valid until the next arena_collect.
const struct config_arena *arena_config(const struct arena *arena);
const struct prepared_match *arena_prepared_match(const struct arena *arena);

// Whether a limit fits into what was reserved when the arena was opened: sockets and player slots.
// Bots must leave room for max_players that the arena was opened with.
bool arena_fits_players(const struct arena *arena, uint32_t max_players);
bool arena_fits_spectators(const struct arena *arena, uint32_t max_spectators);
bool arena_fits_bots(const struct arena *arena, uint32_t bots);

// Names the maps of a configuration to the match, to vote for.
void arena_name_maps(struct raim_match *match, const struct config_arena *config);

// Creates a match for this arena, ready for arena_offer. Slow: allocates and builds a whole match.
// Returns NULL when memory runs out.
struct prepared_match *arena_prepare(const struct arena *arena, const struct config_arena *config,
                                     struct config *owner);

// Takes a prepared match. The worker begins it with the next tick if `at_once`, otherwise with the
// next round. A later offer for the next round replaces an earlier one, as does an offer at once
// that has a match of its own.
void arena_offer(struct arena *arena, struct prepared_match *prepared);

// Whether a prepared match is offered for the next round.
bool arena_has_next_offer(const struct arena *arena);

// Frees the prepared matches that the worker has returned. Returns true if the arena has begun
// another match since the last call.
bool arena_collect(struct arena *arena);

// Tells the arena where the master servers are. Main thread.
void arena_set_masters(struct arena *arena, const struct masters_list *list);

// What the log has said of each master server. It belongs to the main thread.
enum masters_standing *arena_masters_standings(struct arena *arena);

// The mailbox of struct command. The main thread posts; the worker executes every command before
// its next tick.
struct mailbox *arena_mailbox(struct arena *arena);

// The state of the rejection log. It belongs to the main thread.
struct rejection_log *arena_rejection_log(struct arena *arena);

// The state of the overload detector. It belongs to the main thread.
struct overload *arena_overload(struct arena *arena);

// Whether the log says that the arena sends each client fewer snapshots. It belongs to the main
// thread.
bool *arena_sheds(struct arena *arena);

// What the arena reports, for the main thread's side of event_queue.h; NULL if it was not enabled.
struct event_queue *arena_get_event_queue(struct arena *arena);

// The stream of the arena's recordings, for clips; NULL: there is no recorder.
struct recorder_stream *arena_recorder_stream(struct arena *arena);

// The newest published status, valid until the next call for this arena. Never blocks. All zero
// before the first tick.
const struct arena_status *arena_status(struct arena *arena);
