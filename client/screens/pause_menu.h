// SPDX-License-Identifier: MIT
// The menu over a match or a recording: to resume it, to change the settings, to leave it.
#pragma once

#include "menu.h"
#include "settings_screen.h"

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
