// SPDX-License-Identifier: MIT
// Draws the game in one arena: the arena, and the head-up display over it.
#pragma once

#include "play.h"

// Draws a frame, between window_begin and window_end. `now_s` is the clock of raim_link_now_us in
// seconds.
void play_draw(struct play *play, const struct ui *ui, double now_s);
