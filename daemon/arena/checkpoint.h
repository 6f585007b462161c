// SPDX-License-Identifier: MIT
// A file that holds what an arena's match needs to go on in another process: mapped, so that what
// was written survives the death of this one, with two slots in turn, so that one of them is whole
// at any moment. On a tmpfs, it costs no more than the copy.
// Thread rule: a checkpoint belongs to one thread at a time.
#pragma once

#include "match.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One that has been restored so often, and has never run well since, is not tried again.
#define CHECKPOINT_MAX_RESTORES 2

// Of the longest reason for which one is refused.
#define CHECKPOINT_WHY_BYTES 160

#define CHECKPOINT_PATH_BYTES 4096 // of a map's file, with the closing NUL

struct checkpoint;

// Where somebody plays from: to be told that the arena is back.
struct checkpoint_seat {
    uint32_t address; // IPv4, in the network's byte order; 0: not known
    uint16_t port;
    raim_player_id player; // RAIM_NOBODY: nobody
};

// For the arena of this name, "NAME.checkpoint" in a directory. Reads and writes nothing yet. NULL
// when memory runs out or the path is too long.
struct checkpoint *checkpoint_create(const char *directory, const char *name);
void checkpoint_destroy(struct checkpoint *checkpoint);

// The arena has another name from now on, and so has the file. False with errno where that cannot
// be; then both stay as they are.
bool checkpoint_rename(struct checkpoint *checkpoint, const char *name);

// The map that a match is played on, as the next process will need to find it.
struct checkpoint_map {
    int index;                        // in the arena's rotation
    char path[CHECKPOINT_PATH_BYTES]; // of its file, where it is none of the rotation; else ""
};

// That of the last process, and its name; false where that cannot be read.
bool checkpoint_find_map(const struct checkpoint *checkpoint, struct checkpoint_map *map,
                         char name[RAIM_MAP_NAME_BYTES]);

enum checkpoint_verdict {
    CHECKPOINT_NONE,      // there is no file
    CHECKPOINT_RESTORED,  // with its newest slot that is good
    CHECKPOINT_REFUSED,   // see `why`; the match is as it was
    CHECKPOINT_SET_ASIDE, // likewise, as "NAME.checkpoint.bad", for somebody to look at
};

struct checkpoint_result {
    enum checkpoint_verdict verdict;
    uint64_t age_ms; // of what was restored
    char why[CHECKPOINT_WHY_BYTES];
};

// Takes a new match to where the file says, unless that is older than `grace_s`. Fills `seats`, one
// for each place of the match that was saved, RAIM_MAX_PLAYERS at most, when it is restored.
struct checkpoint_result checkpoint_restore(struct checkpoint *checkpoint, struct raim_match *match,
                                            double grace_s, struct checkpoint_seat *seats);

// Begins a file of the right size for a match, another one or the first, with a checkpoint of it,
// in place of the one before. On false `error` tells why, and nothing is kept until the next call.
bool checkpoint_bind(struct checkpoint *checkpoint, const struct raim_match *match,
                     const struct checkpoint_map *map, const struct checkpoint_seat *seats,
                     char *error, size_t capacity);

// Writes the match that was bound down; a few microseconds. Does nothing where there is no file.
void checkpoint_save(struct checkpoint *checkpoint, const struct raim_match *match,
                     const struct checkpoint_seat *seats);

// What was restored has run well for a while, or has come to an orderly end.
void checkpoint_trust(struct checkpoint *checkpoint);

// Nobody is to come back: there is no file any more.
void checkpoint_remove(struct checkpoint *checkpoint);
