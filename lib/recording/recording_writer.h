// SPDX-License-Identifier: MIT
// Makes the bytes of recordings: a head, data frames compressed by zstd, an index. It does no I/O:
// the caller takes the bytes and appends them to a file.
//
//     raim_recording_writer_begin, then for each chunk of a recording input
//     raim_recording_writer_append, at the end raim_recording_writer_end; after any of them
//     raim_recording_writer_take.
//
// Thread rule: a writer belongs to one thread at a time; not that of a match, because compressing
// takes milliseconds.
#pragma once

#include "recording_scene.h"

struct raim_recording_writer;

// Whether this machine can make and read recordings: those are little-endian.
bool raim_recording_is_supported(void);

// Returns NULL where memory runs out. Destroying NULL does nothing.
struct raim_recording_writer *raim_recording_writer_create(void);
void raim_recording_writer_destroy(struct raim_recording_writer *writer);

// Begins a file, of a scene in bytes (raim_recording_scene_write). An unfinished one is forgotten.
// `start_unix_ms` is the time of its first keyframe, whose tick is `first_tick`. Returns false
// where memory runs out.
bool raim_recording_writer_begin(struct raim_recording_writer *writer, const uint8_t *scene,
                                 size_t scene_size, uint32_t first_tick, int64_t start_unix_ms);

// Adds a chunk, whole as it was taken from a recording input. The first one must begin with a
// keyframe. A chunk with a keyframe completes the frame before. Returns false where memory runs out
// or the chunk is none; then only raim_recording_writer_end is left to do, or another begin.
bool raim_recording_writer_append(struct raim_recording_writer *writer, const uint8_t *chunk,
                                  size_t size);

// Completes the last frame and writes the index. Returns false where memory runs out or an append
// failed: what raim_recording_writer_take then gives may lack the last frame or the index.
bool raim_recording_writer_end(struct raim_recording_writer *writer);

// Takes the bytes of the file that are complete, in order; valid until the next call. NULL: none.
const uint8_t *raim_recording_writer_take(struct raim_recording_writer *writer, size_t *size);

// Returns the frame that is being collected, compressed, as it would be if it ended now, for a
// clip; the recording goes on. Valid until the next call. NULL: nothing is collected, or no memory.
const uint8_t *raim_recording_writer_peek(struct raim_recording_writer *writer, size_t *size);

// Files without an index: after a crash, or put together from the head and some of the data
// frames of another file.

// The part of a file that is whole.
struct raim_recording_rest {
    size_t keep;    // bytes from the file's beginning on: the head and all whole frames
    uint8_t *index; // to be appended to them; the caller frees it. NULL: the file is complete
    size_t index_size;
};

// Finds the whole frames of a file and makes their index. Returns false, with a reason in English
// in `error`, for bytes without a head or without a whole frame. Decompresses the whole file.
bool raim_recording_rebuild(const uint8_t *bytes, size_t size, struct raim_recording_rest *rest,
                            char *error, size_t capacity);

// Returns the offset of the first data frame, after the head; 0: the bytes have no head.
size_t raim_recording_head_size(const uint8_t *bytes, size_t size);
