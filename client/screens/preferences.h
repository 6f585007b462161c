// SPDX-License-Identifier: MIT
// What the player has chosen, in memory and in files: settings, bindings, servers; and the window
// and sounds that obey it.
#pragma once

#include "bindings.h"
#include "servers.h"
#include "settings.h"
#include "sound.h"
#include "window.h"

#include <stdbool.h>

struct preferences {
    struct settings settings;
    struct bindings bindings;
    struct servers servers;
    char directory[1024];  // of the settings and servers; "": they are not stored
    char keys[1024];       // of the bindings
    struct window *window; // borrowed
    struct sound *sound;   // NULL: silent
};

// Loads everything, opens the sound device, and applies the settings. `stored` false: starts from
// the defaults, stores nothing, and is silent.
void preferences_open(struct preferences *preferences, struct window *window, bool stored);

// Closes the sound device.
void preferences_close(struct preferences *preferences);

// Makes the window, colours and sounds follow the settings.
void preferences_apply(const struct preferences *preferences);

// Stores the settings, the bindings, or the servers. An error is reported on stderr once.
void preferences_save_settings(const struct preferences *preferences);
void preferences_save_servers(const struct preferences *preferences);

// Notes the folder of a recording that is played, so that the home screen lists it.
void preferences_note_recording(struct preferences *preferences, const char *file);
