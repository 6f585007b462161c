// SPDX-License-Identifier: MIT
// A recorded match, with what it was in every tick to compare with.
#pragma once

#include "peer_fixture.h"

#include "match_internal.h"
#include "recording.h"
#include "recording_input.h"
#include "recording_scene.h"
#include "recording_writer.h"

enum { MAX_TICKS = 4096 };

// What a tick of the match was like.
struct truth {
    uint64_t digest;
    raim_input inputs[SLOTS];
    bool plays[SLOTS]; // a client was served in the tick, with these sets
    uint64_t players[SLOTS], bullets[SLOTS][2];
};

struct take {
    struct raim_recording_input *records;
    struct raim_recording_writer *writer;
    uint8_t *bytes; // of the file
    size_t size;
    uint32_t first_tick, ticks;
    struct truth *truths; // by offset
};

static inline void take_bytes(struct take *take)
{
    size_t size;
    const uint8_t *bytes = raim_recording_writer_take(take->writer, &size);
    take->bytes = realloc(take->bytes, take->size + size + 1);
    if (bytes != NULL)
        memcpy(take->bytes + take->size, bytes, size);
    take->size += size;
}

static inline void take_chunk(struct take *take)
{
    size_t size;
    const uint8_t *chunk = raim_recording_input_take(take->records, &size);
    assert_false(raim_recording_input_has_overflowed(take->records));
    if (chunk == NULL)
        return;
    uint8_t *exact = malloc(size);
    memcpy(exact, chunk, size);
    assert_true(raim_recording_writer_append(take->writer, exact, size));
    free(exact);
    take_bytes(take);
}

static inline void note_truth(struct take *take, struct raim_match *match)
{
    struct truth *truth = &take->truths[take->ticks];
    const struct raim_world *world = match->world;
    truth->digest = raim_world_digest(world);
    memcpy(truth->inputs, match->inputs, world->max_players * sizeof *match->inputs);
    for (uint32_t i = 0; i < match->def.max_connections && take->ticks > 0; i++) {
        const struct raim_connection *client = &match->connections[i];
        if (client->player == RAIM_NOBODY || client->state != RAIM_CONNECTION_PLAYING)
            continue;
        struct raim_sent_view *shown = raim_sent_view_at(&match->interest, client, world->tick);
        if (!shown->valid || shown->tick != world->tick)
            continue;
        truth->plays[client->slot] = true;
        truth->players[client->slot] = shown->players[0];
        memcpy(truth->bullets[client->slot],
               raim_sent_view_bullets(&match->interest.history.limits, shown),
               raim_set_words(world->max_bullets) * sizeof(uint64_t));
    }
}

// Begins to record a match.
static inline struct take *begin_take(struct raim_match *match)
{
    struct take *take = calloc(1, sizeof *take);
    struct raim_recording_scene scene;
    raim_match_scene(match, &scene);
    strcpy(scene.version, "0.0.0-test");
    const size_t bound = raim_recording_scene_bound(&scene);
    uint8_t *bytes = malloc(bound);
    const size_t size = raim_recording_scene_write(&scene, bytes, bound);
    assert_true(size > 0 && size <= bound);
    assert_true(raim_set_words(match->world->max_bullets) <= 2);
    take->truths = calloc(MAX_TICKS, sizeof *take->truths);
    take->writer = raim_recording_writer_create();
    take->records =
        raim_recording_input_init(malloc(raim_recording_input_bytes(match->world)), match->world);
    take->first_tick = raim_match_tick(match);
    assert_true(
        raim_recording_writer_begin(take->writer, bytes, size, take->first_tick, 1700000000123));
    free(bytes);
    take_bytes(take);
    raim_match_record(match, take->records, raim_random_next(&chance));
    take_chunk(take);
    note_truth(take, match);
    return take;
}

// Takes what a tick recorded.
static inline void note_tick(struct take *take, struct raim_match *match)
{
    take->ticks++;
    assert_true(take->ticks < MAX_TICKS);
    take_chunk(take);
    note_truth(take, match);
    if (!raim_recording_input_wants_keyframe(take->records))
        return;
    raim_match_keyframe(match);
    take_chunk(take);
}

static inline void record_ticks(struct take *take, struct test_match *test, int count)
{
    for (; count > 0; count--) {
        tick(test);
        note_tick(take, test->match);
    }
}

static inline void end_take(struct take *take, struct raim_match *match)
{
    raim_match_record(match, NULL, 0);
    take_chunk(take);
    assert_true(raim_recording_writer_end(take->writer));
    take_bytes(take);
}

static inline void free_take(void *object)
{
    struct take *take = object;
    free(take->records);
    raim_recording_writer_destroy(take->writer);
    free(take->bytes);
    free(take->truths);
    free(take);
}

// Opens a file in memory of exactly its size, so that ASan detects a read beyond.
struct opened {
    uint8_t *bytes;
    struct raim_recording *recording;
    char error[RAIM_RECORDING_ERROR_BYTES];
};

static inline void free_opened(void *object)
{
    struct opened *opened = object;
    raim_recording_close(opened->recording);
    free(opened->bytes);
    free(opened);
}

// It is closed after the test.
static inline struct opened *open_bytes(const uint8_t *bytes, size_t size)
{
    struct opened *opened = calloc(1, sizeof *opened);
    test_at_end(free_opened, opened);
    opened->bytes = malloc(size + (size == 0));
    memcpy(opened->bytes, bytes, size);
    opened->recording =
        raim_recording_open(opened->bytes, size, opened->error, sizeof opened->error);
    return opened;
}

// Opens what was recorded.
static inline struct raim_recording *open_take(const struct take *take)
{
    struct opened *opened = open_bytes(take->bytes, take->size);
    if (opened->recording == NULL)
        fail_msg("%s", opened->error);
    return opened->recording;
}

// The present tick of a recording is that of the take.
static inline bool is_true(const struct take *take, const struct raim_recording *recording)
{
    const uint32_t tick = raim_recording_tick(recording);
    return raim_world_digest(raim_recording_world(recording)) == take->truths[tick].digest;
}

// Plays a recording to its end, and asserts the digest of each tick and the number of ticks.
static inline void assert_replays(const struct take *take, uint32_t ticks)
{
    struct raim_recording *recording = open_take(take);
    assert_int_equal(raim_recording_info(recording)->first_tick, take->first_tick);
    while (raim_recording_step(recording))
        assert_true(is_true(take, recording));
    assert_null(raim_recording_fault(recording));
    assert_int_equal(raim_recording_tick(recording), ticks);
}
