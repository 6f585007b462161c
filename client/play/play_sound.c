// SPDX-License-Identifier: MIT
// Plays sounds for visual effects.
#include "play_sound.h"

uint32_t play_sound_effects(struct sound *sound, const struct effects *effects, uint32_t heard,
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
            sound_play_at(sound, (enum sound_kind)kinds[effect->kind],
                          raim_vec2_sub(effect->position, picture->eye), picture->view);
    }
    return heard;
}
