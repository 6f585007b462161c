// SPDX-License-Identifier: MIT
// The head of a recording: a skippable frame with the versions, the beginning and the scene.
// Thread rule: the functions keep no state; any thread may call them.
#pragma once

#include "recording_scene.h"

struct raim_recording_head {
    uint32_t format, layout;
    uint32_t first_tick; // of the world, at `start_unix_ms`
    int64_t start_unix_ms;
    struct raim_recording_scene scene; // its map is that of raim_recording_head_read, or NULL
    char map_name[RAIM_MAP_NAME_BYTES];
    size_t size;     // bytes of the frame
    bool is_foreign; // of another version; only the versions are set
};

// Returns the bytes of a head with a scene of this size.
size_t raim_recording_head_bytes(size_t scene_size);

// Writes a head into raim_recording_head_bytes bytes.
void raim_recording_head_write(const uint8_t *scene, size_t scene_size, uint32_t first_tick,
                               int64_t start_unix_ms, uint8_t *bytes);

// Reads a head, and, where `map` is not NULL, makes its map, which the caller destroys. Returns
// false, with a reason in English, if the bytes are not the head of a recording that this program
// can replay.
bool raim_recording_head_read(const uint8_t *bytes, size_t size, struct raim_recording_head *head,
                              struct raim_map **map, char *error, size_t capacity);

// Writes texts, one after the other, as an explanation; what does not fit is cut.
void raim_recording_explain(char *error, size_t capacity, const char *const *texts);
