// SPDX-License-Identifier: MIT
// Keeps an arena beyond the death of its process: it has the match written down every second, and
// at once when a score changes or somebody comes or goes; the next process goes on from there, and
// invites those who played. Where the service manager gives no runtime directory, nothing is kept.
#pragma once

#include "checkpoint.h"
#include "config.h"
#include "transport.h"

struct arena_checkpoint {
    char name[CONFIG_NAME_BYTES];   // the arena's
    struct checkpoint *file;        // NULL: nothing is kept
    struct checkpoint_map map;      // that is played on
    const struct raim_match *match; // that it is bound to
    bool is_bound;                  // false: there was no room
    uint32_t events;                // of the match when it was last written down
    uint32_t saved_tick;            // and when that was
    uint32_t untrusted_ticks;       // until what was restored is known to run well
    uint32_t invites_left, next_invites_tick;
    uint8_t invite_nonce[8];        // of this restart
    struct checkpoint_seat *seats;  // by place, RAIM_MAX_PLAYERS
    struct raim_match_player *rows; // likewise
};

// For the arena of this name. False when memory runs out; can be destroyed then, too, as can one
// that is all zero.
bool arena_checkpoint_create(struct arena_checkpoint *checkpoint, const char *name);
void arena_checkpoint_destroy(struct arena_checkpoint *checkpoint);

// Which map the last process played on, for the match that arena_checkpoint_start is to restore.
// The place is one of the arena's rotation, 0 being that of its first map.
struct checkpoint_map arena_checkpoint_find_map(const struct arena_checkpoint *checkpoint,
                                                const struct config_arena *config);

// --- The owning worker's side ---

// The match that begins is played on this map.
void arena_checkpoint_note_map(struct arena_checkpoint *checkpoint,
                               const struct checkpoint_map *map);

// Before the first tick, and only then: takes the match to where the last process left it, unless
// that is longer ago than `grace_s`, and begins to keep it.
void arena_checkpoint_start(struct arena_checkpoint *checkpoint, struct raim_match *match,
                            double grace_s);

// The arena has another name from now on, if it is not the same.
void arena_checkpoint_rename(struct arena_checkpoint *checkpoint, const char *name);

// After every step, and before anybody is told what happened in it, so that nobody ever knows more
// than what is kept. The match may be another one than the last time.
void arena_checkpoint_run(struct arena_checkpoint *checkpoint, const struct raim_match *match,
                          struct transport *transport);

// Ends the match: for good, or, where it is kept and `keeps_checkpoint`, until the next process.
void arena_checkpoint_end(struct arena_checkpoint *checkpoint, struct raim_match *match,
                          const struct transport *transport, bool keeps_checkpoint);
