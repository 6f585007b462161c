// SPDX-License-Identifier: MIT
// The frames of zstd (RFC 8878) that a recording is made of: data frames with a checksum and the
// size of their contents, and skippable frames. The only file that knows libzstd. Thread rule: a
// packer or unpacker belongs to one thread at a time; the other functions keep no state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Compresses.
struct raim_packer;
struct raim_packer *raim_packer_create(void); // NULL: no memory
void raim_packer_destroy(struct raim_packer *packer);

// Decompresses. A program that only reads recordings is linked without the compressor.
struct raim_unpacker;
struct raim_unpacker *raim_unpacker_create(void); // NULL: no memory
void raim_unpacker_destroy(struct raim_unpacker *unpacker);

// Returns the most bytes of a data frame with contents of this size.
size_t raim_packed_bound(size_t size);

// Compresses contents into a data frame. Returns its size; 0: no memory, or no room.
size_t raim_pack(struct raim_packer *packer, const uint8_t *contents, size_t size, uint8_t *frame,
                 size_t capacity);

// What a file holds at a position.
enum raim_frame_kind { RAIM_FRAME_NONE, RAIM_FRAME_DATA, RAIM_FRAME_SKIPPABLE };

struct raim_frame {
    enum raim_frame_kind kind; // NONE: neither, or it is cut short
    size_t size;               // with its head
    size_t contents_size;
    const uint8_t *contents; // SKIPPABLE
};

// Finds out what begins at `bytes`. A data frame without a checksum, or with no or too many
// contents (RAIM_RECORDING_MAX_FRAME_BYTES), is none.
struct raim_frame raim_frame_at(const uint8_t *bytes, size_t size);

// Decompresses a data frame into memory for `contents_size` bytes. Returns false for a damaged
// frame, or without memory.
bool raim_unpack(struct raim_unpacker *unpacker, const uint8_t *bytes,
                 const struct raim_frame *frame, uint8_t *contents);

// The head of a skippable frame: 8 bytes, in front of `size` bytes of contents.
#define RAIM_SKIPPABLE_HEAD_BYTES 8
uint64_t
raim_skippable_size(const uint8_t head[RAIM_SKIPPABLE_HEAD_BYTES]); // of the frame; 0: none
void raim_skippable_head(uint8_t head[RAIM_SKIPPABLE_HEAD_BYTES], size_t size);
