// SPDX-License-Identifier: MIT
// Decides when an arena is recorded, and copies what the match writes onto its recording input to
// the recorder. A file holds a round at most: it begins with somebody who plays and ends when the
// break begins, when nobody has played for RECORDING_UNPLAYED_S, or with the match; after
// RECORDING_PART_S the round continues in another file. Thread rule: the worker that owns the
// arena.
#pragma once

#include "config.h"
#include "prepared_match.h"
#include "recorder.h"

// The time in s for which a file continues when nobody plays.
#define RECORDING_UNPLAYED_S 30

// The longest recording, in s.
#define RECORDING_PART_S 3600

// The time in s after which a recording that could not be written begins again within its round.
#define RECORDING_RETRY_S 60

// All zero: nothing is recorded.
struct arena_recording {
    struct recorder_stream *stream;         // NULL: there is no recorder
    const struct recording_memory *records; // of the running match; borrowed
    struct raim_recording_input *running;   // NULL: nothing is recorded now
    char name[RECORDING_NAME_BYTES];
    int64_t begun_s;         // unix time of the newest name
    uint32_t round, part;    // of the newest name
    uint32_t ticks;          // recorded in this file
    uint32_t unplayed_ticks; // since there was a player
    uint32_t retry_ticks;    // until a lost recording is begun anew, unless its round ends
};

// Records the tick that has been played and sent, and begins or ends a file. Call it when every
// message of the tick was pulled.
void arena_recording_run(struct arena_recording *recording, struct raim_match *match,
                         const struct config_arena *config);

// Ends the file. Call it before the match is succeeded by another one or ends.
void arena_recording_end(struct arena_recording *recording, struct raim_match *match);

// The name of the file that is being written; "": none.
const char *arena_recording_name(const struct arena_recording *recording);
