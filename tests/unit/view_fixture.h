// SPDX-License-Identifier: MIT
// A match with clients that use the protocol's readers alone. It gives access to the match's
// internals, to compare the snapshots with the world.
#pragma once

#include "arena_fixture.h"
#include "chance.h"
#include "events_fixture.h"
#include "handshake.h"
#include "match_internal.h"
#include "test.h"

enum { VIEWERS = 12 };

struct viewer {
    bool sits;
    struct raim_wire_frame frames[RAIM_MAX_HISTORY]; // by tick modulo history
    bool has[RAIM_MAX_HISTORY];
    void *memory;
    bool any;
    uint32_t newest;         // tick of a frame
    uint32_t told;           // snapshots that it has read
    raim_wire_input pressed; // of its own player
    bool is_mute;            // sends no inputs
    bool keeps_acks;         // acknowledges no new snapshot
    bool has_named;          // it has any snapshot
    uint32_t name;           // tick of the newest
    uint16_t next_event;     // that has not arrived
};

struct stage {
    struct raim_map *map;
    struct raim_match *match;
    struct raim_wire_limits limits;
    struct viewer viewers[VIEWERS]; // by handle
    size_t largest;                 // snapshot, bytes
};

static inline void stage_leave(struct stage *stage, uint32_t handle)
{
    raim_match_disconnect(stage->match, handle);
    free(stage->viewers[handle].memory);
    stage->viewers[handle] = (struct viewer){0};
}

static inline void stage_free(void *object)
{
    struct stage *stage = object;
    for (uint32_t i = 0; i < VIEWERS; i++)
        stage_leave(stage, i);
    raim_match_destroy(stage->match);
    raim_map_destroy(stage->map);
    free(stage);
}

// It is closed after the test.
static inline struct stage *stage_open(struct raim_map *map, struct raim_match_def def)
{
    struct stage *stage = calloc(1, sizeof *stage);
    test_at_end(stage_free, stage);
    stage->map = map;
    def.map = map;
    def.max_connections = VIEWERS;
    def.tuning.resume_grace_s = 0; // a client that leaves is reset
    stage->match = raim_match_create(&def);
    assert_non_null(stage->match);
    stage->limits = stage->match->interest.history.limits;
    return stage;
}

static inline void stage_join(struct stage *stage, uint32_t handle)
{
    struct viewer *viewer = &stage->viewers[handle];
    const size_t frame_bytes = raim_wire_frame_bytes(&stage->limits);
    uint8_t *memory = calloc(stage->limits.history, frame_bytes);
    *viewer = (struct viewer){
        .sits = true,
        .memory = memory,
        .next_event = (uint16_t)(stage->match->log.end + 1), // its own join comes with the roster
    };
    for (uint32_t i = 0; i < stage->limits.history; i++)
        raim_wire_frame_init(&viewer->frames[i], &stage->limits, memory + i * frame_bytes);
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "viewer"};
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const uint8_t token[RAIM_TOKEN_BYTES] = {(uint8_t)(handle + 1)};
    raim_match_connect(stage->match, handle, token);
    raim_match_receive(stage->match, handle, true, bytes,
                       raim_hello_write(&hello, bytes, sizeof bytes));
    assert_true(stage->match->connections[handle].player != RAIM_NOBODY);
}

static inline uint32_t stage_slot(const struct stage *stage, uint32_t handle)
{
    return stage->match->connections[handle].slot;
}

static inline raim_player *stage_player(const struct stage *stage, uint32_t handle)
{
    return &raim_world_players(stage->match->world)[stage_slot(stage, handle)];
}

// Puts a player at a position in a new life without a shield.
static inline void stage_put(struct stage *stage, uint32_t slot, raim_vec2 position)
{
    raim_player *player = &raim_world_players(stage->match->world)[slot];
    assert_true(player->id != RAIM_NOBODY);
    player->state = RAIM_PLAYER_ALIVE;
    player->health = 1;
    player->position = player->previous = position;
    player->shield_ticks = 0;
    player->cooldown_ticks = 0;
    player->respawn_ticks = 0;
    player->life++;
}

// Reads a snapshot from memory of exactly its size and returns the frame of its tick; NULL when its
// baseline has left the history, and for a message with events alone.
static inline const struct raim_wire_frame *
stage_read(const struct stage *stage, struct viewer *viewer, const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size);
    memcpy(exact, data, size);
    raim_reader reader = raim_reader_make(exact, size);
    struct raim_snapshot_header header;
    const uint32_t kind = read_past_events(&reader, &viewer->next_event);
    if (kind == RAIM_MESSAGE_EVENTS) { // nothing else
        free(exact);
        return NULL;
    }
    assert_int_equal(kind, RAIM_MESSAGE_SNAPSHOT);
    const uint32_t near_tick = viewer->any ? viewer->newest : stage->match->world->tick;
    assert_true(raim_snapshot_read_header(&reader, &stage->limits, near_tick, &header));
    const uint32_t from = (header.tick - header.baseline_age) % stage->limits.history;
    const uint32_t slot = header.tick % stage->limits.history;
    if (header.baseline_age > 0 &&
        raim_tick_diff(viewer->newest, header.tick - header.baseline_age) >=
            (int32_t)stage->limits.history) {
        free(exact);
        return NULL;
    }
    if (header.baseline_age > 0)
        assert_true(viewer->has[from] &&
                    viewer->frames[from].tick == header.tick - header.baseline_age);
    assert_true(raim_snapshot_read(&reader, &header, &stage->limits,
                                   header.baseline_age > 0 ? &viewer->frames[from] : NULL,
                                   &viewer->frames[slot]));
    free(exact);
    viewer->has[slot] = true;
    viewer->told++;
    if (!viewer->any || raim_tick_diff(header.tick, viewer->newest) > 0)
        viewer->newest = header.tick;
    viewer->any = true;
    return &viewer->frames[slot];
}

static inline size_t stage_write_input(const struct viewer *viewer, uint32_t tick, uint8_t *bytes)
{
    const struct raim_input_message message = {
        .tick = tick,
        .has_snapshot = viewer->has_named,
        .snapshot = viewer->name,
        .events = viewer->next_event,
        .count = 1,
        .inputs = {viewer->pressed},
    };
    return raim_input_write(&message, bytes, RAIM_MAX_MESSAGE_BYTES);
}

static inline void stage_send(struct stage *stage, uint32_t handle)
{
    struct viewer *viewer = &stage->viewers[handle];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    if (!viewer->sits || !viewer->any || viewer->is_mute)
        return;
    if (!viewer->keeps_acks) {
        viewer->has_named = true;
        viewer->name = viewer->newest;
    }
    raim_match_receive(stage->match, handle, false, bytes,
                       stage_write_input(viewer, stage->match->world->tick, bytes));
}

// Plays one tick without delay or loss.
static inline void stage_tick(struct stage *stage)
{
    struct raim_outgoing out;
    raim_match_step(stage->match);
    while (raim_match_outgoing(stage->match, &out)) {
        if (out.reliable)
            continue;
        assert_true(out.size > 0 && out.size <= RAIM_MAX_MESSAGE_BYTES);
        stage->largest = out.size > stage->largest ? out.size : stage->largest;
        stage_read(stage, &stage->viewers[out.client], out.data, out.size);
    }
    for (uint32_t i = 0; i < VIEWERS; i++)
        stage_send(stage, i);
}

static inline void stage_ticks(struct stage *stage, int count)
{
    while (count-- > 0)
        stage_tick(stage);
}

// The viewer's visible set of the last tick, and the frame that it has received or predicts for it.
static inline struct raim_sent_view *stage_shown(const struct stage *stage, uint32_t handle)
{
    const uint32_t tick = stage->match->world->tick;
    struct raim_sent_view *shown =
        raim_sent_view_at(&stage->match->interest, &stage->match->connections[handle], tick);
    assert_true(shown->valid && shown->tick == tick);
    return shown;
}

static inline bool stage_has(const struct stage *stage, uint32_t handle, uint32_t slot)
{
    const struct viewer *viewer = &stage->viewers[handle];
    const struct raim_wire_frame *frame = &viewer->frames[viewer->newest % stage->limits.history];
    return raim_set_has(frame->seen_players, slot);
}
