// SPDX-License-Identifier: MIT
// The checkpoint file of an arena: a copy of its match from which another process can continue. The
// file is mapped, so that what was written survives a crash of the process. Saves alternate between
// two slots, so that one of them is complete at any moment. On a tmpfs a save costs no more than
// the copy. Thread rule: a checkpoint belongs to one thread at a time.
#pragma once

#include "match.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A checkpoint that was restored this many times without checkpoint_trust is set aside, because its
// state may crash the process. If the process died each time in the tick of one arena, only the
// checkpoint of that arena, the culprit, is set aside.
#define CHECKPOINT_MAX_RESTORES 2

// Size of a reason for a rejection, with the closing NUL.
#define CHECKPOINT_WHY_BYTES 160

#define CHECKPOINT_PATH_BYTES 4096 // of the path of a map, with the closing NUL

struct checkpoint;

// The address of a player's client, to which the next process sends an invitation.
struct checkpoint_address {
    uint64_t host; // see ip_address_host; of the player, also where that is behind a gateway
    // A struct udp_address without padding; all zero: unknown.
    uint64_t high, low;
    uint32_t scope;
    uint16_t port;
    raim_player_id player; // RAIM_NOBODY: free slot
};

// Creates the checkpoint of the arena `name`, in the file "NAME.checkpoint" of a directory. Does
// not access the file yet. Returns NULL when memory runs out or the path is too long.
struct checkpoint *checkpoint_create(const char *directory, const char *name);
void checkpoint_destroy(struct checkpoint *checkpoint);

// Renames the file for another name of its arena. On failure returns false with errno and changes
// nothing.
bool checkpoint_rename(struct checkpoint *checkpoint, const char *name);

// Identifies the map of a match for the next process.
struct checkpoint_map {
    int index;                        // 0: the arena's first map, i: the i-th of its rotation
    char path[CHECKPOINT_PATH_BYTES]; // of the file of a map that the operator chose; else ""
};

// Reads the map of the saved match, and its name. Returns false if there is no readable checkpoint,
// or an expired one.
bool checkpoint_find_map(const struct checkpoint *checkpoint, double max_age_s,
                         struct checkpoint_map *map, char name[RAIM_MAP_NAME_BYTES]);

// Lets a restore change nothing but the match: no restore is counted, no file set aside.
void checkpoint_only_check(struct checkpoint *checkpoint);

// Has the arena whose tick crashes the process noted as such in its file. Call it once, before the
// first tick.
void checkpoint_note_crashes(void);

enum checkpoint_guilt {
    CHECKPOINT_INNOCENT, // or there is no file
    CHECKPOINT_SUSPECT,  // the process died each time while the arena was in a tick
    CHECKPOINT_CULPRIT,  // and the last time by a signal of that tick's thread
};
enum checkpoint_guilt checkpoint_guilt(const struct checkpoint *checkpoint);

// Call it if another arena is guiltier: the next restore then counts as the first.
void checkpoint_excuse(struct checkpoint *checkpoint);

// Whether there is a file.
bool checkpoint_is_there(const struct checkpoint *checkpoint);

// When a state was saved.
struct checkpoint_time {
    uint64_t ms;   // CLOCK_BOOTTIME, which cannot be set and counts during suspend
    uint64_t boot; // digest of the kernel's boot_id
};
struct checkpoint_time checkpoint_now(const struct checkpoint *checkpoint);

// Why a state of that time is not to be restored, or NULL.
const char *checkpoint_time_fault(const struct checkpoint *checkpoint,
                                  struct checkpoint_time saved);

// Whether a state without such a fault is older than that.
bool checkpoint_is_expired(struct checkpoint_time saved, double max_age_s);

enum checkpoint_verdict {
    CHECKPOINT_NONE,      // there is no file
    CHECKPOINT_RESTORED,  // from the newest intact slot
    CHECKPOINT_EXPIRED,   // it is too old to be continued; the match is unchanged
    CHECKPOINT_REJECTED,  // see `why`; the match is unchanged
    CHECKPOINT_SET_ASIDE, // rejected, and renamed to "NAME.checkpoint.bad" for a post-mortem
};

struct checkpoint_result {
    enum checkpoint_verdict verdict;
    uint64_t age_ms; // of the restored or expired slot
    char why[CHECKPOINT_WHY_BYTES];
};

// Restores the saved match into a new one, unless it was saved more than `max_age_s` ago. On
// CHECKPOINT_RESTORED fills `addresses`, one per player slot of the saved match, at most
// RAIM_MAX_PLAYERS.
struct checkpoint_result checkpoint_restore(struct checkpoint *checkpoint, struct raim_match *match,
                                            double max_age_s, struct checkpoint_address *addresses);

// Creates a file of the right size for a match, saves the match into it, and replaces the previous
// file. On failure returns false and writes a reason into `error`; saves then do nothing until the
// next call.
bool checkpoint_bind(struct checkpoint *checkpoint, const struct raim_match *match,
                     const struct checkpoint_map *map, const struct checkpoint_address *addresses,
                     char *error, size_t capacity);

// Saves the bound match; takes a few microseconds. Does nothing without a file.
void checkpoint_save(struct checkpoint *checkpoint, const struct raim_match *match,
                     const struct checkpoint_address *addresses);

// Call it at the begin and at the end of each tick between a restore and checkpoint_trust.
void checkpoint_set_in_tick(struct checkpoint *checkpoint, bool is_in_tick);

// Resets the count of restores: the restored match has run for a while, or has ended in order.
void checkpoint_trust(struct checkpoint *checkpoint);

// Removes the file: the match has ended for good.
void checkpoint_remove(struct checkpoint *checkpoint);
