// SPDX-License-Identifier: MIT
// Checkpoints of an arena, so that its match survives a crash or a restart of the process. The
// worker saves the match every second, and at once when a score changes or a player comes or goes.
// The next process restores it and sends an invitation to every player who was connected. Where its
// checkpoints have another layout it continues from the portable checkpoint, which the store writes
// at most once a second, and at the end, from a block that the worker publishes. Without
// $RUNTIME_DIRECTORY there are no checkpoints, and only the players' addresses are noted.
#pragma once

#include "checkpoint_file.h"
#include "config.h"
#include "portable_checkpoint.h"
#include "transport.h"
#include "triple_buffer.h"

struct store;

// A match that nobody has run for so long has ended.
#define ARENA_CHECKPOINT_MAX_AGE_S 3600

struct arena_checkpoint {
    char name[CONFIG_NAME_BYTES];   // of the arena
    struct checkpoint *file;        // NULL: checkpoints are off
    struct checkpoint_map map;      // of the match that is played
    const struct raim_match *match; // that the file is bound to
    bool is_bound;                  // false: the file could not be written
    bool is_over;                   // the match has ended for good: the file is to be removed
    uint32_t events;                // event count of the match at the last save
    uint32_t saved_tick;            // tick of the last save
    uint32_t untrusted_ticks;       // left until the restored state counts as good
    uint32_t invites_left, next_invites_tick;
    uint8_t invite_nonce[8];              // one per restart
    uint32_t slots;                       // of the match at the last save
    struct checkpoint_address *addresses; // by player slot, RAIM_MAX_PLAYERS
    struct raim_match_player *rows;       // scratch, RAIM_MAX_PLAYERS
    uint64_t rejected;                    // files of the last process
    uint64_t lost;                        // matches of the last process, of which there were files
    uint64_t gap_ms;                      // in which nothing ticked before this one began; else 0
    uint32_t gap_tick;                    // of the match at its begin

    // The portable checkpoint. Either side reads `kept`, which is set before a worker runs.
    struct portable_checkpoint *found; // of the last process, until the start; NULL: none
    char *kept;                        // what a newer version wrote, as text; NULL: nothing
    struct triple_buffer blocks;       // struct portable_checkpoint; the worker publishes
    double max_age_s;                  // of what is restored or continued
    uint32_t max_rows;                 // of a block
    uint64_t published;                // blocks
    uint32_t published_tick, published_events;

    // Only the main thread touches it.
    struct {
        char directory[CHECKPOINT_PATH_BYTES];
        char name[CONFIG_NAME_BYTES]; // of the file; "": none
        uint64_t number;              // of the newest block
    } posted;
};

// Initializes the checkpoint of the arena of this name and of at most `max_players`. Returns false
// when memory runs out. arena_checkpoint_destroy accepts the result in either case, and a zeroed
// struct. It removes the files of a match that has ended for good, and posts the portable
// checkpoint of another one. Takes NULL for `store`: there is no portable one.
bool arena_checkpoint_create(struct arena_checkpoint *checkpoint, const char *name,
                             uint32_t max_players);
void arena_checkpoint_destroy(struct arena_checkpoint *checkpoint, struct store *store);

// Has the newest block written, unless it was posted before. Main thread.
void arena_checkpoint_post(struct arena_checkpoint *checkpoint, struct store *store);

// Makes arena_checkpoint_destroy remove the file in any case.
void arena_checkpoint_discard(struct arena_checkpoint *checkpoint);

// Finds the map that the last process played on, for the match that arena_checkpoint_start is to
// restore. `index` 0 is the arena's first map, `index` i the i-th map of its rotation.
struct checkpoint_map arena_checkpoint_find_map(const struct arena_checkpoint *checkpoint,
                                                const struct config_arena *config);

// See checkpoint_guilt and checkpoint_excuse. Call them before arena_checkpoint_start.
enum checkpoint_guilt arena_checkpoint_guilt(const struct arena_checkpoint *checkpoint);
void arena_checkpoint_excuse(struct arena_checkpoint *checkpoint);

// Call it once, before a worker runs the arena. Restores the match that the last process saved,
// unless it has expired, and starts to save this one.
void arena_checkpoint_start(struct arena_checkpoint *checkpoint, struct raim_match *match);

// Logs what arena_checkpoint_start would take over, and changes nothing but the match. Returns
// false where the last process has left a checkpoint and the match would begin anew.
bool arena_checkpoint_check(struct arena_checkpoint *checkpoint, struct raim_match *match);

// --- The owning worker's side ---

// Sets the map of the match that begins.
void arena_checkpoint_note_map(struct arena_checkpoint *checkpoint,
                               const struct checkpoint_map *map);

// Renames the checkpoint with its arena. Does nothing when the name is unchanged.
void arena_checkpoint_rename(struct arena_checkpoint *checkpoint, const char *name);

// The time without ticks since the tick `since` of the match, in ms.
uint64_t arena_checkpoint_gap_ms(const struct arena_checkpoint *checkpoint, uint32_t since);

// Call it at the begin and at the end of each tick.
void arena_checkpoint_set_in_tick(struct arena_checkpoint *checkpoint, bool is_in_tick);

// Call it after every step and before the step's messages are sent, so that no client ever sees an
// event that a restart would undo. `match` may differ from that of the last call. Returns whether
// there is a block to post.
bool arena_checkpoint_run(struct arena_checkpoint *checkpoint, const struct raim_match *match,
                          struct transport *transport);

// Whether a player of the match, or one who may resume, is or was last at this address (an IPv4
// address or an IPv6 /64), as of the last save.
bool arena_checkpoint_has_address(const struct arena_checkpoint *checkpoint, struct ip_address ip);

// Ends the match. With `keeps_checkpoint` and a bound file it saves the match for the next process
// and suspends it; otherwise it shuts the match down. The file remains until
// arena_checkpoint_destroy, so that no tick of another arena waits for its removal.
void arena_checkpoint_end(struct arena_checkpoint *checkpoint, struct raim_match *match,
                          const struct transport *transport, bool keeps_checkpoint);
