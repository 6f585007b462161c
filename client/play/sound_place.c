// SPDX-License-Identifier: MIT
// Computes the loudness of sounds.
#include "sound.h"

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
