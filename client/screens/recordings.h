// SPDX-License-Identifier: MIT
// The list of the recordings in some folders.
#pragma once

#include "menu.h"
#include "preferences.h"
#include "recording.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORDINGS_PATH_BYTES = 1024, RECORDINGS_MAX = 250 };

struct recordings_entry {
    char path[RECORDINGS_PATH_BYTES];
    int64_t changed_ns;              // when the file was written, Unix time
    bool is_good;                    // it can be played, as far as the head and the index say
    struct raim_recording_info info; // is_good
    char fault[RAIM_RECORDING_ERROR_BYTES]; // otherwise: why it cannot be played
};

// Start with `count` 0.
struct recordings {
    uint32_t count;
    struct recordings_entry entries[RECORDINGS_MAX]; // by the files' times, newest first
};

// Whether a name is that of a recording: it ends in ".raimrec".
bool recordings_is_name(const char *name);

// Adds the recordings of a folder, which need not exist; of more than fit the newest are kept.
void recordings_add(struct recordings *recordings, const char *folder);

// Reads what the entries have to tell.
void recordings_read(struct recordings *recordings);

// The screen on which a recording is chosen.

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
