// SPDX-License-Identifier: MIT
// The recorder's structures, private to the files that implement it: recorder.c has the thread and
// the sides of other threads, recorder_stream.c writes the files and cuts clips.
#pragma once

#include "record_ring.h"
#include "recorder.h"
#include "recording_file.h"
#include "recording_writer.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    RECORDER_COMMANDS = 16,     // under way and not taken
    RECORDER_STREAM_CLIPS = 64, // of one file
};

// Kinds of records in a ring.
enum recorder_record {
    RECORDER_BEGIN,    // struct recorder_begin and a scene
    RECORDER_KEYFRAME, // a chunk with a keyframe
    RECORDER_CHUNK,
    RECORDER_END,
    RECORDER_DROPPED, // an end for which the full ring is to blame
};

// A whole frame of the file in progress.
struct recorder_frame {
    uint64_t offset; // in the file
    uint32_t tick;   // of its keyframe
};

struct recorder_stream {
    struct recorder *recorder;
    struct recorder_stream *next; // guarded by the recorder's mutex

    // Both sides.
    struct record_ring ring; // the worker produces
    _Atomic bool is_closing;
    _Atomic bool has_failed;
    _Atomic uint64_t begun, finished, dropped, failed, bytes;

    // The recorder's thread.
    bool is_writing;  // a file is open
    bool is_reported; // the log has said that files cannot be written
    struct recorder_begin begin;
    struct recording_file file;
    struct raim_recording_writer *writer; // NULL before the first file
    uint8_t *chunk;                       // scratch
    size_t chunk_capacity;
    uint32_t frame_tick; // of the keyframe of the frame that is being collected
    uint32_t tick;       // of the newest chunk
    size_t head_size;
    struct recorder_frame *frames;
    uint32_t frame_count, frame_capacity;
    char clips[RECORDER_STREAM_CLIPS][RECORDING_NAME_BYTES]; // of the file, listed at its end
    uint32_t clip_count;
};

struct recorder_command {
    bool is_clip;
    struct recorder_stream *stream; // of a clip; NULL: its arena has ended
    uint32_t seconds;               // of a clip
    enum recorder_change change;
    char name[RECORDING_NAME_BYTES]; // of what is changed
    uint32_t number;
};

struct recorder {
    struct recordings *recordings;
    const struct wakeup *main_wakeup;
    struct wakeup wakeup; // of the thread
    pthread_t thread;
    bool is_started;
    _Atomic bool is_stopping, is_trim_due;

    pthread_mutex_t mutex; // guards what follows
    struct recorder_stream *streams;
    uint32_t command_count, answer_count;
    struct recorder_command commands[RECORDER_COMMANDS];
    struct recorder_answer answers[RECORDER_COMMANDS];

    // The thread's.
    bool has_leftovers; // files in progress that could not be completed
    uint64_t trimmed_ms;
};

// Handles every record in the ring of a stream.
void recorder_stream_drain(struct recorder_stream *stream);

// Finishes the file in progress, if there is one.
void recorder_stream_end(struct recorder_stream *stream);

// Cuts a clip from the file in progress.
void recorder_stream_clip(struct recorder_stream *stream, uint32_t seconds,
                          struct recorder_answer *answer);

// Frees a stream.
void recorder_stream_free(struct recorder_stream *stream);
