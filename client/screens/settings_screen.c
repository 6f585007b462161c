// SPDX-License-Identifier: MIT
// Shows and changes the settings.
#include "settings_screen.h"

#include <stdio.h>
#include <string.h>

// Rows beside those of the fields.
enum { ROW_BINDINGS };
static const char keys[] = "Keys, mouse and gamepad ...", defaults[] = "Restore the defaults",
                  back[] = "Back";

static void fill_main(struct settings_screen *screen)
{
    char detail[MENU_DETAIL_BYTES];
    screen->menu.list.count = 0;
    menu_add(&screen->menu, keys, "");
    for (int i = 0; i < SETTINGS_FIELDS; i++) {
        if (settings_fields[i].title == NULL)
            continue;
        settings_write(&screen->preferences->settings, &settings_fields[i], detail, sizeof detail);
        screen->fields[screen->menu.list.count] = &settings_fields[i];
        menu_add(&screen->menu, settings_fields[i].title, detail);
    }
    menu_add(&screen->menu, defaults, "");
    menu_add(&screen->menu, back, "");
}

static void fill_bindings(struct settings_screen *screen)
{
    const struct preferences *preferences = screen->preferences;
    char key[40], pad[40], detail[MENU_DETAIL_BYTES];
    screen->menu.list.count = 0;
    for (int i = 0; i < ACTION_COUNT; i++) {
        window_button_label(preferences->window, preferences->bindings.buttons[BINDING_KEYS][i],
                            key, sizeof key);
        window_button_label(preferences->window, preferences->bindings.buttons[BINDING_PAD][i], pad,
                            sizeof pad);
        snprintf(detail, sizeof detail, "%s%s%s", key, key[0] != '\0' && pad[0] != '\0' ? ", " : "",
                 pad);
        if (screen->waits_for_button && i == screen->menu.list.selected)
            snprintf(detail, sizeof detail, "press a key or button ...");
        menu_add(&screen->menu, bindings_title((enum action)i), detail);
    }
    menu_add(&screen->menu, defaults, "");
    menu_add(&screen->menu, back, "");
}

static void fill(struct settings_screen *screen)
{
    if (screen->page == SETTINGS_MAIN)
        fill_main(screen);
    else
        fill_bindings(screen);
}

void settings_screen_open(struct settings_screen *screen, struct preferences *preferences)
{
    memset(screen, 0, sizeof *screen);
    screen->preferences = preferences;
    preferences->settings.full_screen = window_is_full_screen(preferences->window);
    fill(screen);
}

// Changes the selected setting, up or down by `way`.
static void change(struct settings_screen *screen, int way, bool wraps)
{
    const struct preferences *preferences = screen->preferences;
    const struct settings_field *field = screen->fields[screen->menu.list.selected];
    if (field == NULL)
        return;
    settings_change(&screen->preferences->settings, field, way, wraps);
    preferences_apply(preferences);
    if (field->offset == offsetof(struct settings, volume) ||
        field->offset == offsetof(struct settings, mutes_sound))
        sound_play_here(preferences->sound, SOUND_CHAT);
}

static void restore_settings(struct settings_screen *screen)
{
    struct settings *settings = &screen->preferences->settings;
    struct settings fresh = settings_default();
    memcpy(fresh.name, settings->name, sizeof fresh.name);
    memcpy(fresh.recordings, settings->recordings, sizeof fresh.recordings);
    *settings = fresh;
    preferences_apply(screen->preferences);
}

static void turn_page(struct settings_screen *screen, enum settings_page page)
{
    screen->page = page;
    screen->menu.list.selected = screen->menu.list.first = 0;
}

static bool handle_main(struct settings_screen *screen, const struct window_event *event)
{
    if (event->kind == WINDOW_PRESSED &&
        (event->command == COMMAND_LEFT || event->command == COMMAND_RIGHT)) {
        change(screen, event->command == COMMAND_RIGHT ? 1 : -1, false);
        return true;
    }
    const int chosen = menu_handle(&screen->menu, screen->preferences->window, event);
    const int last = screen->menu.list.count - 1;
    if (chosen == MENU_BACK || chosen == last) {
        preferences_save_settings(screen->preferences);
        return false;
    }
    if (chosen == ROW_BINDINGS)
        turn_page(screen, SETTINGS_BINDINGS);
    else if (chosen == last - 1)
        restore_settings(screen);
    else if (chosen != MENU_NOTHING) {
        screen->menu.list.selected = chosen;
        change(screen, 1, true);
    }
    return true;
}

static void handle_button(struct settings_screen *screen, const struct window_event *event)
{
    if (event->kind != WINDOW_PRESSED || (event->button == 0 && !event->opens_menu))
        return;
    if (!event->opens_menu)
        bindings_bind(&screen->preferences->bindings, (enum action)screen->menu.list.selected,
                      event->button);
    screen->waits_for_button = false;
}

static void handle_bindings(struct settings_screen *screen, const struct window_event *event)
{
    const int chosen = menu_handle(&screen->menu, screen->preferences->window, event);
    if (chosen == MENU_BACK || chosen == ACTION_COUNT + 1) {
        preferences_save_settings(screen->preferences);
        turn_page(screen, SETTINGS_MAIN);
    } else if (chosen == ACTION_COUNT) {
        screen->preferences->bindings = bindings_default();
    } else if (chosen != MENU_NOTHING) {
        screen->menu.list.selected = chosen;
        screen->waits_for_button = true;
    }
}

bool settings_screen_handle(struct settings_screen *screen, const struct window_event *event)
{
    bool stays = true;
    if (screen->waits_for_button)
        handle_button(screen, event);
    else if (screen->page == SETTINGS_BINDINGS)
        handle_bindings(screen, event);
    else
        stays = handle_main(screen, event);
    fill(screen);
    return stays;
}

void settings_screen_draw(struct settings_screen *screen, const struct ui *ui)
{
    const bool is_main = screen->page == SETTINGS_MAIN;
    const char *hint = window_has_fingers(screen->preferences->window) ? "Tap: change"
                       : is_main ? "Left, right: change     Esc: back"
                                 : "Enter: change     Esc: back";
    menu_draw(&screen->menu, ui, is_main ? "Settings" : "Keys and buttons",
              screen->waits_for_button ? "Esc: keep the old one" : hint);
}

enum { RESUME, SETTINGS, LEAVE, OTHER };

void pause_menu_open(struct pause_menu *pause, const char *leave, const char *other)
{
    memset(&pause->menu, 0, sizeof pause->menu);
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
