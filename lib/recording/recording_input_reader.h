// SPDX-License-Identifier: MIT
// Reads the records of a data frame, one after the other. What cannot have been written by a
// recording input is rejected; whether a record fits the world is the caller's matter. Thread rule:
// the functions keep no state; any thread may call them with its own reader.
#pragma once

#include "phase.h"
#include "recording_scene.h"

// Where a reader stands, and the memory that some records are read into.
struct raim_recording_input_reader {
    const uint8_t *next, *end;
    bool has_failed;
    uint32_t max_players, max_rewind; // of the world
    size_t world_bytes;
    // By slot: brought up to date by each STEP. NULL: steps are skipped.
    raim_input *inputs;
    uint8_t *traffic;
    // Where the difference of each SENT is read into, of `words` words. NULL: it is skipped.
    uint64_t *difference;
    uint32_t words;
};

// One record. Only the members of its kind are valid.
struct raim_record {
    enum raim_record_kind kind;
    const uint8_t *world;      // KEYFRAME
    raim_player_id id, victim; // KILL has both
    bool is_bot;
    uint32_t reason;                    // LEAVE: enum raim_reason
    char text[RAIM_MAX_CHAT_BYTES + 1]; // a name or a line
    struct raim_wire_phase phase;
    uint32_t slot, rtt_ms; // RTT, SENT
    uint64_t digest;
};

// A reader of the contents of a data frame, which it borrows. It skips steps and sets.
struct raim_recording_input_reader
raim_recording_input_reader_make(const struct raim_recording_scene *scene, const uint8_t *contents,
                                 size_t size);

// Reads the next record. Returns false at the end and where reading fails.
bool raim_recording_input_read(struct raim_recording_input_reader *reader,
                               struct raim_record *record);
