// SPDX-License-Identifier: MIT
// The index of a recording: where its data frames are, its chapters, and who played. It is
// collected from the data frames, by the writer and for a file without one, and written as the
// last, skippable frame of a file. Thread rule: an index belongs to one thread at a time.
#pragma once

#include "recording.h"
#include "recording_head.h"

struct raim_frame_entry {
    uint64_t offset; // in the file
    uint32_t tick;   // of its keyframe, of the world
};

struct raim_recording_index {
    struct raim_frame_entry *frames;
    uint32_t frame_count, frame_capacity;
    struct raim_chapter *chapters;
    uint32_t chapter_count, chapter_capacity;
    struct raim_recording_player *players;
    uint32_t player_count, player_capacity;
    uint64_t end;   // offset in the file after the last data frame
    uint32_t ticks; // steps
    uint32_t round; // of the first keyframe
    uint32_t clients, bots;
    char winner[RAIM_MAX_NAME_BYTES + 1];

    // Where collecting stands.
    uint32_t present_round;          // that plays; 0: none
    uint32_t rows[RAIM_MAX_PLAYERS]; // of the player in a slot: a row of `players` plus 1; 0: free
};

// A zeroed index is empty.
void raim_recording_index_free(struct raim_recording_index *index);

enum raim_index_result {
    RAIM_INDEX_OK,
    RAIM_INDEX_INVALID, // no contents of a data frame that continue those before
    RAIM_INDEX_MEMORY,
};

// Adds the data frame at an offset in the file, of `size` bytes, with these contents. A frame that
// is not added leaves the index as it was, except for the state of collecting.
enum raim_index_result raim_recording_index_add(struct raim_recording_index *index,
                                                const struct raim_recording_scene *scene,
                                                uint64_t offset, size_t size,
                                                const uint8_t *contents, size_t contents_size);

// Writes the frame of the index. Returns memory that the caller frees; NULL: there is none.
uint8_t *raim_recording_index_write(const struct raim_recording_index *index, size_t *size);

// Finds the index by the last bytes of a file. Returns its size; 0: there is none.
#define RAIM_RECORDING_FOOTER_BYTES 12
size_t raim_recording_index_size(const uint8_t footer[RAIM_RECORDING_FOOTER_BYTES]);

// Reads an index that lies at an offset of its file, in `size` bytes up to the end. Returns false
// where there is none, or a damaged one, or no memory; free it then, too.
bool raim_recording_index_read(struct raim_recording_index *index, const uint8_t *bytes,
                               size_t size, uint64_t offset);

// Finds and reads the index of a file, as above.
bool raim_recording_index_find(struct raim_recording_index *index, const uint8_t *bytes,
                               size_t size);
