// SPDX-License-Identifier: MIT
// Paints pictures.
#pragma once

#include "effects.h"
#include "picture.h"
#include "ui.h"
#include "viewport.h"

// Paints the picture into the viewport's area, whose eye must be the picture's, and nothing beyond
// it; `effects` go over it.
void painter_paint(const struct ui *ui, const struct viewport *viewport,
                   const struct picture *picture, const struct effects *effects);
