// SPDX-License-Identifier: MIT
// Draws a picture of the arena.
#pragma once

#include "effects.h"
#include "picture.h"
#include "ui.h"

// Draws the picture, and the effects over it, inside the viewport's area. The viewport's eye must
// be the picture's.
void painter_paint(const struct ui *ui, const struct viewport *viewport,
                   const struct picture *picture, const struct effects *effects);
