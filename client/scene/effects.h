// SPDX-License-Identifier: MIT
// Short visual effects: muzzle flashes, sparks where bullets end, bursts where players fall, rings
// where they spawn, streaks of bullets that just miss the local player. No message reports most of
// them; they are found by comparing two pictures. Pure: times come in, in seconds of any steady
// clock.
#pragma once

#include "angle.h"
#include "picture.h"
#include "sound.h"

#include <stdbool.h>
#include <stdint.h>

enum effect_kind {
    EFFECT_MUZZLE,
    EFFECT_SPARK,
    EFFECT_BURST,
    EFFECT_SPAWN,
    EFFECT_NEAR,
    EFFECT_KINDS
};

struct effect {
    enum effect_kind kind;
    unsigned player;     // id; the effect has this player's colour
    raim_vec2 position;  // units
    raim_vec2 direction; // of the bullet: of length 1, or zero
    double born_s;
};

enum { EFFECTS = 256, EFFECTS_FALLEN = 32 };

// The victim of a kill, whom the picture may still show because it lags behind the event.
struct effects_fallen {
    unsigned player; // 0: none
    bool seen;
    raim_vec2 position; // where it was last visible
    double noted_s;
};

// Start from all zero.
struct effects {
    struct effect items[EFFECTS]; // ring
    uint32_t count;               // effects ever begun
    struct effects_fallen fallen[EFFECTS_FALLEN];
};

void effects_begin(struct effects *effects, const struct effect *effect);

// The progress of an effect: 0 at the beginning, 1 or more when it is over.
double effects_progress(const struct effect *effect, double now_s);

// Notes a kill: the victim bursts as soon as the picture no longer shows it.
void effects_add_kill(struct effects *effects, unsigned victim, double now_s);

struct picture;

// Begins the effects of what happened between an earlier and a later picture of one arena.
void effects_compare(struct effects *effects, const struct picture *before,
                     const struct picture *after);

// The sounds of what happens in the arena, placed by where it happens in the view.

// The loudness of a sound that happens `offset` units from the middle of a view: equal power over
// the width of the view, and fainter with the distance, down to a third at the view's corner and to
// silence at twice that.
struct sound_place sound_place_of(raim_vec2 offset, raim_vec2 view);

// Plays the sounds of all effects after the first `heard` ones; only what the picture shows is
// heard. Returns the number of effects begun so far.
uint32_t sound_play_effects(struct sound *sound, const struct effects *effects, uint32_t heard,
                            const struct picture *picture);
