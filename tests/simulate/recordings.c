// SPDX-License-Identifier: MIT
// Records each match, and replays the recording when the match ends.
#include "state.h"

#include "recording.h"
#include "recording_input.h"
#include "recording_scene.h"
#include "recording_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct simulation_take {
    struct raim_recording_input *records;
    struct raim_recording_writer *writer;
    uint8_t *bytes; // of the file
    size_t size, capacity;
    uint32_t first_tick;
};

static void take_bytes(struct simulation_take *take)
{
    size_t size;
    const uint8_t *bytes = raim_recording_writer_take(take->writer, &size);
    if (size > take->capacity - take->size) {
        take->capacity = 2 * (take->size + size);
        take->bytes = realloc(take->bytes, take->capacity);
        assert(take->bytes != NULL);
    }
    if (size > 0)
        memcpy(take->bytes + take->size, bytes, size);
    take->size += size;
}

static void take_chunk(struct simulation *simulation)
{
    struct simulation_take *take = simulation->take;
    size_t size;
    const uint8_t *chunk = raim_recording_input_take(take->records, &size);
    if (raim_recording_input_has_overflowed(take->records))
        fail(simulation, "recordings_verify", "the recording input is too short");
    if (chunk == NULL)
        return;
    if (!raim_recording_writer_append(take->writer, chunk, size))
        fail(simulation, "recordings_verify", "the writer rejects a chunk of the recording input");
    take_bytes(take);
}

void recordings_begin(struct simulation *simulation)
{
    struct simulation_take *take = calloc(1, sizeof *take);
    const struct raim_world *world = raim_match_world(simulation->match);
    struct raim_recording_scene scene;
    raim_match_scene(simulation->match, &scene);
    const size_t bound = raim_recording_scene_bound(&scene);
    uint8_t *bytes = malloc(bound);
    void *memory = malloc(raim_recording_input_bytes(world));
    assert(take != NULL && bytes != NULL && memory != NULL);
    simulation->take = take;
    take->first_tick = world->tick;
    take->writer = raim_recording_writer_create();
    take->records = raim_recording_input_init(memory, world);
    const bool is_begun =
        take->writer != NULL &&
        raim_recording_writer_begin(
            take->writer, bytes, raim_recording_scene_write(&scene, bytes, bound), world->tick, 0);
    assert(is_begun);
    free(bytes);
    // Its own seed, so that an arena plays as it would without a recording.
    raim_match_record(simulation->match, take->records, world->random);
    take_chunk(simulation);
}

void recordings_take(struct simulation *simulation)
{
    take_chunk(simulation);
    if (!raim_recording_input_wants_keyframe(simulation->take->records))
        return;
    raim_match_keyframe(simulation->match);
    take_chunk(simulation);
}

static void verify(struct simulation *simulation)
{
    const struct simulation_take *take = simulation->take;
    const uint32_t ticks = raim_match_tick(simulation->match) - take->first_tick;
    char error[RAIM_RECORDING_ERROR_BYTES];
    struct raim_recording *recording =
        raim_recording_open(take->bytes, take->size, error, sizeof error);
    if (recording == NULL) {
        fail(simulation, "recordings_verify", "it is rejected: %s", error);
        return;
    }
    while (raim_recording_step(recording)) {
    }
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    if (fault != NULL)
        fail(simulation, "recordings_verify", "%s, between its ticks %u and %u of %u", fault->why,
             fault->agreed, fault->tick + 1, ticks);
    else if (raim_recording_tick(recording) != ticks)
        fail(simulation, "recordings_verify", "it has %u ticks of %u",
             raim_recording_tick(recording), ticks);
    raim_recording_close(recording);
}

void recordings_end(struct simulation *simulation)
{
    struct simulation_take *take = simulation->take;
    raim_match_record(simulation->match, NULL, 0);
    take_chunk(simulation);
    if (!raim_recording_writer_end(take->writer))
        fail(simulation, "recordings_verify", "the writer cannot end it");
    take_bytes(take);
    if (!simulation->is_failed)
        verify(simulation);
    raim_recording_writer_destroy(take->writer);
    free(take->records);
    free(take->bytes);
    free(take);
    simulation->take = NULL;
}
