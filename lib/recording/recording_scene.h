// SPDX-License-Identifier: MIT
// The scene of a recording: what lasts as long as a match, and what a world is rebuilt from. It is
// the larger part of a recording's head. raim_match_scene fills one.
// Thread rule: the functions keep no state; any thread may call them.
#pragma once

#include "recording_format.h"
#include "world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raim_recording_scene {
    char version[RAIM_RECORDING_VERSION_BYTES + 1]; // of the program that records
    char arena[RAIM_MAX_ARENA_BYTES + 1];
    const struct raim_map *map; // borrowed; made from obstacles, not from pieces
    raim_rules rules;
    uint32_t tick_hz, max_players, max_rewind; // of the world
    uint32_t view_width, view_height;          // units
    bool sight;
    uint64_t identity; // raim_world_identity
};

// Returns the most bytes that raim_recording_scene_write takes for a scene.
size_t raim_recording_scene_bound(const struct raim_recording_scene *scene);

// Writes a scene, so that it needs the map no longer. Returns the number of bytes; 0: they did not
// fit.
size_t raim_recording_scene_write(const struct raim_recording_scene *scene, uint8_t *bytes,
                                  size_t capacity);

// The definition of the scene's world, without a seed.
struct raim_world_def raim_recording_scene_world(const struct raim_recording_scene *scene);
