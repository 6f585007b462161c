// SPDX-License-Identifier: MIT
// The recorder: one thread that compresses and writes the recordings of all arenas. Each arena has
// a stream, a ring into which its worker copies what a recording input holds; see record_ring.h. A
// worker never waits: where the ring is full, the recording ends with what is in it. Where the disk
// is full, it ends with its whole frames.
#pragma once

#include "metric.h"
#include "recordings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder;
struct recorder_stream;

struct recorder_counts {
    uint64_t begun;
    uint64_t finished; // files with their final names
    uint64_t dropped;  // ended early because the ring was full
    uint64_t failed;   // ended early, or never begun, because they could not be written
    uint64_t bytes;    // written to files
    bool is_running;   // now
};

extern const struct metric_table recorder_metrics; // of a struct recorder_counts

// --- The main thread's side ---

// Opens the directory of recordings, see recordings_open. Borrows `wakeup`, of the main thread,
// which is signalled when the list of recordings changes or a command is done. Returns NULL with a
// reason in `error`.
struct recorder *recorder_open(const char *path, const struct recordings_limits *limits,
                               const struct wakeup *wakeup, char *error, size_t capacity);

// Starts the thread. Returns false with a reason in `error`.
bool recorder_start(struct recorder *recorder, char *error, size_t capacity);

// Finishes every file and ends the thread. Takes NULL. Every stream must be closed.
void recorder_close(struct recorder *recorder);

// Changes to another directory for the files that begin from now on. Returns false with a reason.
bool recorder_move(struct recorder *recorder, const char *path, char *error, size_t capacity);

// Changes the limits of retention and enforces them.
void recorder_set_limits(struct recorder *recorder, const struct recordings_limits *limits);

// The directory of finished recordings.
struct recordings *recorder_recordings(const struct recorder *recorder);

// Opens a stream for worlds of about `world_bytes` with `slots` slots. Returns NULL when memory
// runs out.
struct recorder_stream *recorder_open_stream(struct recorder *recorder, size_t world_bytes,
                                             uint32_t slots);

// Finishes the file of a stream and frees it, in the recorder's thread. Takes NULL. No worker may
// be using it.
void recorder_close_stream(struct recorder_stream *stream);

// Any thread.
struct recorder_counts recorder_stream_counts(const struct recorder_stream *stream);

// Orders a clip: a recording of the last `seconds` of a stream's file, or somewhat more, because it
// begins with a data frame. `number` identifies it in recorder_take_answer. Returns false if too
// many orders are under way.
bool recorder_command_clip(struct recorder *recorder, struct recorder_stream *stream,
                           uint32_t seconds, uint32_t number);

// What to do with a finished recording.
enum recorder_change { RECORDER_DELETE, RECORDER_KEEP, RECORDER_UNKEEP };

// Orders a change of the recording of this name, see recordings_delete and recordings_keep. Returns
// false as above.
bool recorder_command_change(struct recorder *recorder, enum recorder_change change,
                             const char *name, uint32_t number);

// The result of a command.
struct recorder_answer {
    uint32_t number;
    char clip[RECORDING_NAME_BYTES]; // its file; "" if there is none
    char problem[96];                // what went wrong, a printable text; "": nothing
};

// Takes the answer of a command. Returns false if there is none.
bool recorder_take_answer(struct recorder *recorder, struct recorder_answer *answer);

// --- The side of the arena's worker. Nothing waits, allocates or fails but for a full ring. ---

struct recorder_begin {
    char name[RECORDING_NAME_BYTES];
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    uint32_t tick_hz;
    uint32_t first_tick;
    int64_t start_ms; // unix time
};

// Begins a recording of a scene, see recording_scene.h. Returns false if the ring is full; the
// recording then counts as dropped.
bool recorder_begin(struct recorder_stream *stream, const struct recorder_begin *begin,
                    const uint8_t *scene, size_t scene_size);

// Adds a chunk, which ended with this tick; the first one holds a keyframe. Returns false if the
// ring is full; the recording has then ended and counts as dropped.
bool recorder_put(struct recorder_stream *stream, uint32_t tick, bool has_keyframe,
                  const uint8_t *chunk, size_t size);

// Ends the recording.
void recorder_end(struct recorder_stream *stream);

// Whether what was begun last cannot be written. The worker then ends the recording.
bool recorder_has_failed(const struct recorder_stream *stream);
