// SPDX-License-Identifier: MIT
// The screen on which a recording is chosen.
#pragma once

#include "menu.h"
#include "preferences.h"
#include "recordings.h"

struct recordings_screen {
    struct recordings recordings;
    struct menu menu;
    char problem[MENU_DETAIL_BYTES + RAIM_RECORDING_ERROR_BYTES]; // "": none
};

// Lists the recordings of the folder that was used last and of `recordings` in
// FILES_DATA.
void recordings_screen_open(struct recordings_screen *screen,
                            const struct preferences *preferences);

enum { RECORDINGS_SCREEN_ON = -1, RECORDINGS_SCREEN_BACK = -2 };

// Handles an event. Returns the index of the recording that was chosen, or one of the values above.
int recordings_screen_handle(struct recordings_screen *screen, const struct window *window,
                             const struct window_event *event);

void recordings_screen_draw(struct recordings_screen *screen, const struct ui *ui);
