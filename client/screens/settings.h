// SPDX-License-Identifier: MIT
// The player's settings, stored as JSON in the file `settings` of FILES_SETTINGS. The file of the
// servers played before is servers.h; of the keys, bindings.h.
#pragma once

#include "palette.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>

enum { SETTINGS_FOLDER_BYTES = 512 };

struct settings {
    char name[RAIM_MAX_NAME_BYTES + 1]; // of the player; "": not chosen yet
    double sensitivity;                 // of the mouse: factor, 0.1 to 5
    bool confines_mouse;                // to the window while playing
    double ui_scale;                    // factor, 0.75 to 2
    enum palette_scheme palette;
    bool full_screen;
    int frame_cap_hz; // 0: none; else 30 to 1000
    double volume;    // 0 to 1
    bool mutes_sound;
    char recordings[SETTINGS_FOLDER_BYTES]; // folder of the recording played last; "": none
};

struct settings settings_default(void);

// Clamps every number into its range.
void settings_limit(struct settings *settings);

// Reads the settings from a directory. A file that cannot be parsed is renamed to settings.bad and
// reported on stderr in one line, and the defaults hold. A value of the wrong kind or out of range
// is reported and ignored. Without a file the defaults hold.
struct settings settings_load(const char *directory);

// Writes the file by way of a temporary one, and makes the directory. False where that fails.
bool settings_save(const struct settings *settings, const char *directory);
