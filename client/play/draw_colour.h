// SPDX-License-Identifier: MIT
// A colour with its opacity.
#pragma once

#include <stdint.h>

typedef struct draw_colour {
    uint8_t r, g, b, a; // a: 255 is opaque, 0 invisible
} draw_colour;
