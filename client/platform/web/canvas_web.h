// SPDX-License-Identifier: MIT
// The canvas of a page: collects the shapes of a frame for the page to draw.
#pragma once

#include "canvas.h"

// NULL when memory runs out. Destroy takes NULL.
struct canvas *canvas_create(void);
void canvas_destroy(struct canvas *canvas);

// Between these two a frame is drawn.
void canvas_begin(struct canvas *canvas);
void canvas_end(struct canvas *canvas);
