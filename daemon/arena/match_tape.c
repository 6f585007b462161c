// SPDX-License-Identifier: MIT
// Allocates what recording a match takes.
#include "match_tape.h"

#include "recording_scene.h"

#include <stdlib.h>
#include <string.h>

bool match_tape_create(struct match_tape *tape, const struct raim_match *match)
{
    struct raim_recording_scene scene = {0};
    raim_match_scene(match, &scene);
    strncpy(scene.version, RAIM_VERSION, sizeof scene.version - 1);
    const size_t bound = raim_recording_scene_bound(&scene);
    *tape = (struct match_tape){
        .memory = malloc(raim_tape_bytes(raim_match_world(match))),
        .scene = malloc(bound),
    };
    if (tape->memory != NULL && tape->scene != NULL)
        tape->scene_size = raim_recording_scene_write(&scene, tape->scene, bound);
    if (tape->scene_size > 0)
        return true;
    match_tape_destroy(tape);
    return false;
}

void match_tape_destroy(struct match_tape *tape)
{
    free(tape->memory);
    free(tape->scene);
    *tape = (struct match_tape){0};
}
