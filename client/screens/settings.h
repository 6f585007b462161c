// SPDX-License-Identifier: MIT
// The player's settings, stored as JSON in the file `settings` of FILES_SETTINGS. The file of the
// servers played before is servers.h; of the keys, bindings.h.
#pragma once

#include "files.h"
#include "palette.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>

enum { SETTINGS_FOLDER_BYTES = 512, SETTINGS_LEARNED_BYTES = 64 };

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
    bool shakes;                            // flashes and shakes the picture
    bool rumbles;                           // the gamepad
    char recordings[SETTINGS_FOLDER_BYTES]; // folder of the recording played last; "": none
    char learned[SETTINGS_LEARNED_BYTES];   // actions that need no hint any more: game/hints.h
};

enum settings_kind {
    SETTINGS_NUMBER, // double
    SETTINGS_SHARE,  // double, shown in percent
    SETTINGS_RATE,   // int, Hz; may be 0
    SETTINGS_FLAG,
    SETTINGS_TEXT,
    SETTINGS_PALETTE,
};

// A member of the settings: in the file, and on the screen.
struct settings_field {
    const char *key;
    const char *title; // NULL: not on the screen
    enum settings_kind kind;
    size_t offset;
    double min, max; // of a number; of a text: 0, and the most bytes without the closing NUL
    double step;     // of a number on the screen
};

enum { SETTINGS_FIELDS = 13 };
extern const struct settings_field settings_fields[SETTINGS_FIELDS];

struct settings settings_default(void);

// Writes a member for people.
void settings_write(const struct settings *settings, const struct settings_field *field, char *text,
                    size_t capacity);

// Changes a member by a step, up or down by `way`; from the end of its range to the other end where
// `wraps`.
void settings_change(struct settings *settings, const struct settings_field *field, int way,
                     bool wraps);

// Clamps every number into its range.
void settings_limit(struct settings *settings);

// Reads the settings from a directory. A file that cannot be parsed is renamed to settings.bad and
// reported on stderr in one line, and the defaults hold. A value of the wrong kind or out of range
// is reported and ignored. Without a file the defaults hold.
struct settings settings_load(const char *directory);

// Writes the file by way of a temporary one, and makes the directory. False where that fails.
bool settings_save(const struct settings *settings, const char *directory);

// The game's own files: JSON in the settings directory, whose name ends with a slash.

struct json_t;

// Reads a file into an object that the caller frees, and writes its path. False without a file. A
// file that is damaged is renamed to NAME.bad, and reported on stderr in one line.
bool client_file_load(const char *directory, const char *name, char path[FILES_PATH_BYTES],
                      struct json_t **root);

// Replaces a file at once, and makes the directory. False where that fails.
bool client_file_save(const char *directory, const char *name, const struct json_t *root);
