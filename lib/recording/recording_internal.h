// SPDX-License-Identifier: MIT
// Internals of an opened recording, private to recording.c and recording_replay.c.
#pragma once

#include "recording_frame.h"
#include "recording_index.h"
#include "recording_input_reader.h"
#include "recording_sent.h"

// A player who is in the world now.
struct raim_recording_member {
    char name[RAIM_MAX_NAME_BYTES + 1];
    bool is_bot;
};

// What clients were sent up to the present tick, by the slots of their players.
struct raim_recording_sets {
    bool is_skipped;
    bool is_due; // the sets of this tick are not complete yet, `tick` is not set
    struct raim_sent_tick tick;
    uint64_t *living, *flying, *flew;
    uint64_t *sets;
    uint64_t *known;   // set of the slots that have one
    uint64_t *changed; // set of the slots whose set of this tick has been read
};

struct raim_recording {
    const uint8_t *bytes; // borrowed
    size_t size;
    struct raim_recording_head head;
    struct raim_recording_index index;
    struct raim_recording_info info;
    struct raim_map *map;
    struct raim_unpacker *unpacker;

    uint32_t frame; // the present one
    uint8_t *contents;
    size_t contents_capacity;
    struct raim_recording_input_reader reader;

    uint32_t tick;
    bool is_in_tick; // its step was played, its end was not read
    bool may_hold;   // since the step nothing else has changed the positions
    struct raim_world *world, *expected;
    struct raim_events events;
    struct raim_world_workspace *workspace;
    uint32_t next_event; // the kills before it were recorded
    raim_input *inputs;
    uint8_t *traffic;
    uint32_t *rtts;
    struct raim_recording_member *members; // by slot
    struct raim_wire_phase phase;
    struct raim_recording_line chat[RAIM_RECORDING_MAX_CHAT];
    uint32_t chat_count;
    struct raim_recording_sets sent;

    struct raim_recording_fault fault;
    bool has_fault;
    bool overlooks;    // differing digests and kills
    uint32_t agreed;   // offset of the last tick whose world was compared and right
    uint32_t compared; // worlds
};

// --- recording_replay.c ---

// Sets the fault. Returns false.
bool raim_replay_fail(struct raim_recording *recording, enum raim_recording_fault_kind kind,
                      const char *why);

// Loads a data frame, whose keyframe becomes the world or, if it `continues` the frame before, must
// equal it.
bool raim_replay_load(struct raim_recording *recording, uint32_t frame, bool continues);

// Reads and applies records up to the end of the next tick; at the end of the recording all that
// are left. Returns false at the end or at a fault.
bool raim_replay_tick(struct raim_recording *recording);
