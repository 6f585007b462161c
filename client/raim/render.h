// SPDX-License-Identifier: MIT
// Renders a recording into a video.
#pragma once

#include "options.h"
#include "preferences.h"
#include "window.h"

enum render_outcome { RENDER_DONE, RENDER_FAILED, RENDER_NO_RECORDING };

// Renders what the options say in a headless window of the video's size, 60 frames a second; prints
// why where it fails. A damaged recording is rendered up to its fault; that counts as failed.
enum render_outcome render(const struct options *options, struct window *window,
                           struct preferences *preferences);
