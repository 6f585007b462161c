// SPDX-License-Identifier: MIT
// What flashes up and is gone: muzzles, sparks where bullets end, bursts where players fall, rings
// where they rise. Nobody tells of most of them; they are seen by comparing two pictures. Pure:
// times come in, in seconds of any steady clock.
#pragma once

#include "angle.h"

#include <stdbool.h>
#include <stdint.h>

enum effect_kind { EFFECT_MUZZLE, EFFECT_SPARK, EFFECT_BURST, EFFECT_RISE, EFFECT_KINDS };

struct effect {
    enum effect_kind kind;
    unsigned player;     // whose colour it has
    raim_vec2 position;  // units
    raim_vec2 direction; // of the bullet; of length 1, or zero
    double born_s;
};

enum { EFFECTS = 256, EFFECTS_FALLEN = 32 };

// A player of whom a kill told, and whom the picture, which is of a moment before, may still show.
struct effects_fallen {
    unsigned player; // 0: none
    bool seen;
    raim_vec2 position; // where it was seen last
    double told_s;
};

// Start from all zero.
struct effects {
    struct effect items[EFFECTS]; // the newest overwrite the oldest
    uint32_t count;               // ever begun
    struct effects_fallen fallen[EFFECTS_FALLEN];
};

void effects_begin(struct effects *effects, const struct effect *effect);

// How far an effect has come: 0 as it begins; 1 and more when it is over.
double effects_progress(const struct effect *effect, double now_s);

// A kill was told: the victim bursts as soon as the picture shows it no more.
void effects_tell_kill(struct effects *effects, unsigned victim, double now_s);

struct picture;

// Begins what has happened between two pictures of the same arena, an earlier and a later one.
void effects_compare(struct effects *effects, const struct picture *before,
                     const struct picture *after);
