// SPDX-License-Identifier: MIT
// Chooses and places the sounds.
#include "sound_effects.h"

#include <math.h>

struct sound_place sound_place_of(raim_vec2 offset, raim_vec2 view)
{
    const double corner = fmax(raim_vec2_length(view) / 2, 1);
    const double part = raim_vec2_length(offset) / corner;
    const double loud = part <= 1 ? 1 - part * 2 / 3 : fmax(2 - part, 0) / 3;
    // From -1 at the left edge to 1 at the right one. The far ear hears something, too.
    const double side = 0.85 * fmin(fmax(offset.x / fmax(view.x / 2, 1), -1), 1);
    return (struct sound_place){loud * sqrt((1 - side) / 2), loud * sqrt((1 + side) / 2)};
}

uint32_t sound_play_effects(struct sound *sound, const struct effects *effects, uint32_t heard,
                            const struct picture *picture)
{
    static const int kinds[EFFECT_KINDS] = {
        [EFFECT_MUZZLE] = SOUND_SHOT,
        [EFFECT_SPARK] = SOUND_KINDS, // silent
        [EFFECT_BURST] = SOUND_DEATH,
        [EFFECT_SPAWN] = SOUND_SPAWN,
    };
    if (heard > effects->count || effects->count - heard > EFFECTS)
        heard = effects->count;
    for (; heard < effects->count; heard++) {
        const struct effect *effect = &effects->items[heard % EFFECTS];
        if (kinds[effect->kind] != SOUND_KINDS)
            sound_play(
                sound, (enum sound_kind)kinds[effect->kind],
                sound_place_of(raim_vec2_sub(effect->position, picture->eye), picture->view));
    }
    return heard;
}
