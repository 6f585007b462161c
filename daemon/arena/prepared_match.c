// SPDX-License-Identifier: MIT
// Creates prepared matches and passes them between threads.
#include "prepared_match.h"

#include "recording_scene.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct prepared_match *prepared_match_create(const struct config_arena *config,
                                             struct config *owner, struct raim_match *match)
{
    struct prepared_match *prepared = calloc(1, sizeof *prepared);
    if (prepared == NULL) {
        raim_match_destroy(match);
        return NULL;
    }
    prepared->config = *config;
    prepared->owner = owner != NULL ? config_share(owner) : NULL;
    prepared->match = match;
    return prepared;
}

void prepared_match_free(struct prepared_match *prepared)
{
    if (prepared == NULL)
        return;
    raim_match_destroy(prepared->match); // before its map
    recording_memory_destroy(&prepared->records);
    config_unload(prepared->owner);
    free(prepared);
}

void prepared_match_free_all(struct prepared_match *matches)
{
    while (matches != NULL) {
        struct prepared_match *next = matches->next;
        prepared_match_free(matches);
        matches = next;
    }
}

void prepared_match_inherit(struct prepared_match *prepared, struct prepared_match *before)
{
    assert(prepared->match == NULL);
    assert(prepared->owner == NULL);
    const struct config_arena tuned = prepared->config;
    prepared->config = before->config;
    config_tune(&prepared->config, &tuned);
    prepared->map = before->map;
    prepared->match = before->match;
    prepared->records = before->records;
    before->match = NULL;
    before->records = (struct recording_memory){0};
}

void prepared_match_push(struct prepared_match_stack *stack, struct prepared_match *prepared)
{
    // Release order publishes the content of `prepared` together with the pointer.
    prepared->next = atomic_load_explicit(&stack->newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&stack->newest, &prepared->next, prepared,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

struct prepared_match *prepared_match_take(struct prepared_match_stack *stack)
{
    struct prepared_match *oldest = NULL;
    struct prepared_match *newest =
        atomic_exchange_explicit(&stack->newest, NULL, memory_order_acquire);
    while (newest != NULL) {
        struct prepared_match *older = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = older;
    }
    return oldest;
}

bool recording_memory_create(struct recording_memory *records, const struct raim_match *match)
{
    struct raim_recording_scene scene = {0};
    raim_match_scene(match, &scene);
    strncpy(scene.version, RAIM_VERSION, sizeof scene.version - 1);
    const size_t bound = raim_recording_scene_bound(&scene);
    *records = (struct recording_memory){
        .memory = malloc(raim_recording_input_bytes(raim_match_world(match))),
        .scene = malloc(bound),
    };
    if (records->memory != NULL && records->scene != NULL)
        records->scene_size = raim_recording_scene_write(&scene, records->scene, bound);
    if (records->scene_size > 0)
        return true;
    recording_memory_destroy(records);
    return false;
}

void recording_memory_destroy(struct recording_memory *records)
{
    free(records->memory);
    free(records->scene);
    *records = (struct recording_memory){0};
}
