// SPDX-License-Identifier: MIT
// Loads, applies and stores the preferences.
#include "preferences.h"

#include "files.h"

#include <stdio.h>
#include <string.h>

void preferences_open(struct preferences *preferences, struct window *window, bool stored)
{
    memset(preferences, 0, sizeof *preferences); // an initializer would take 20 KB of stack
    preferences->settings = settings_default();
    preferences->bindings = bindings_default();
    preferences->window = window;
    if (stored &&
        files_path(FILES_SETTINGS, "", preferences->directory, sizeof preferences->directory)) {
        preferences->settings = settings_load(preferences->directory);
        servers_load(&preferences->servers, preferences->directory);
    } else {
        preferences->directory[0] = '\0';
    }
    if (stored && files_path(FILES_DATA, "", preferences->keys, sizeof preferences->keys))
        bindings_load(&preferences->bindings, preferences->keys);
    else
        preferences->keys[0] = '\0';
    preferences->sound = stored ? sound_open() : NULL;
    preferences_apply(preferences);
}

void preferences_close(struct preferences *preferences)
{
    sound_close(preferences->sound);
    preferences->sound = NULL;
}

void preferences_apply(const struct preferences *preferences)
{
    const struct settings *settings = &preferences->settings;
    palette_choose(settings->palette);
    sound_set_volume(preferences->sound, settings->mutes_sound ? 0 : settings->volume);
    window_configure(preferences->window, &(struct window_style){
                                              .sensitivity = settings->sensitivity,
                                              .confines_mouse = settings->confines_mouse,
                                              .full_screen = settings->full_screen,
                                              .frame_cap_hz = settings->frame_cap_hz,
                                          });
}

static void report(const char *directory, const char *name, bool is_saved)
{
    static bool was_reported;
    if (is_saved || directory[0] == '\0' || was_reported)
        return;
    fprintf(stderr, "raim: cannot write %s%s\n", directory, name);
    was_reported = true;
}

void preferences_save_settings(const struct preferences *preferences)
{
    const char *directory = preferences->directory;
    report(directory, "settings", settings_save(&preferences->settings, directory));
    report(preferences->keys, "keys", bindings_save(&preferences->bindings, preferences->keys));
}

void preferences_save_servers(const struct preferences *preferences)
{
    const char *directory = preferences->directory;
    report(directory, "servers", servers_save(&preferences->servers, directory));
}

void preferences_note_recording(struct preferences *preferences, const char *file)
{
    if (files_folder_of(file, preferences->settings.recordings, SETTINGS_FOLDER_BYTES))
        preferences_save_settings(preferences);
}
