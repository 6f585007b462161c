// SPDX-License-Identifier: MIT
// The screen of the settings, and of the keys and gamepad buttons, over the home screen or a game.
#pragma once

#include "menu.h"
#include "preferences.h"

enum settings_page { SETTINGS_MAIN, SETTINGS_BINDINGS };

struct settings_screen {
    struct preferences *preferences; // borrowed
    enum settings_page page;
    bool waits_for_button; // to bind to the selected action
    struct menu menu;
    const struct settings_field *fields[SETTINGS_FIELDS + 3]; // by row of SETTINGS_MAIN; NULL: none
};

void settings_screen_open(struct settings_screen *screen, struct preferences *preferences);

// Handles an event; changes apply at once. False when the screen is left, after storing them.
bool settings_screen_handle(struct settings_screen *screen, const struct window_event *event);

void settings_screen_draw(struct settings_screen *screen, const struct ui *ui);

// The menu over a match or a recording: to resume it, to change the settings, to leave it.

struct pause_menu {
    struct menu menu;
    bool is_in_settings;
    struct settings_screen settings;
};

// `other` is a choice of the caller's own; "": none.
void pause_menu_open(struct pause_menu *pause, const char *leave, const char *other);

enum pause_wish { PAUSE_ON, PAUSE_RESUME, PAUSE_LEAVE, PAUSE_OTHER };
enum pause_wish pause_menu_handle(struct pause_menu *pause, struct preferences *preferences,
                                  const struct window_event *event);

void pause_menu_draw(struct pause_menu *pause, const struct ui *ui, const char *hint);
