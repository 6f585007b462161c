// SPDX-License-Identifier: MIT
// Shows the menu and the settings.
#include "pause_menu.h"

enum { RESUME, SETTINGS, LEAVE, OTHER };

void pause_menu_open(struct pause_menu *pause, const char *leave, const char *other)
{
    pause->menu = (struct menu){0};
    pause->is_in_settings = false;
    menu_add(&pause->menu, "Resume", "");
    menu_add(&pause->menu, "Settings", "");
    menu_add(&pause->menu, leave, "");
    if (other[0] != '\0')
        menu_add(&pause->menu, other, "");
}

enum pause_wish pause_menu_handle(struct pause_menu *pause, struct preferences *preferences,
                                  const struct window_event *event)
{
    if (pause->is_in_settings) {
        pause->is_in_settings = settings_screen_handle(&pause->settings, event);
        return PAUSE_ON;
    }
    switch (menu_handle(&pause->menu, preferences->window, event)) {
    case MENU_BACK:
    case RESUME:
        return PAUSE_RESUME;
    case SETTINGS:
        settings_screen_open(&pause->settings, preferences);
        pause->is_in_settings = true;
        return PAUSE_ON;
    case LEAVE:
        return PAUSE_LEAVE;
    case OTHER:
        return PAUSE_OTHER;
    default:
        return PAUSE_ON;
    }
}

void pause_menu_draw(struct pause_menu *pause, const struct ui *ui, const char *hint)
{
    if (pause->is_in_settings)
        settings_screen_draw(&pause->settings, ui);
    else
        menu_draw(&pause->menu, ui, "Menu", hint);
}
