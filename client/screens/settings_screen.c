// SPDX-License-Identifier: MIT
// Shows and changes the settings.
#include "settings_screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum row {
    ROW_BINDINGS,
    ROW_SENSITIVITY,
    ROW_CONFINE,
    ROW_SCALE,
    ROW_PALETTE,
    ROW_FULL_SCREEN,
    ROW_FRAME_CAP,
    ROW_VOLUME,
    ROW_MUTE,
    ROW_DEFAULTS,
    ROW_BACK,
    ROWS
};

static const char *const titles[ROWS] = {
    [ROW_BINDINGS] = "Keys, mouse and gamepad ...",
    [ROW_SENSITIVITY] = "Mouse sensitivity",
    [ROW_CONFINE] = "Keep the mouse in the window",
    [ROW_SCALE] = "Size of text",
    [ROW_PALETTE] = "Colours",
    [ROW_FULL_SCREEN] = "Full screen",
    [ROW_FRAME_CAP] = "Frame rate limit",
    [ROW_VOLUME] = "Volume",
    [ROW_MUTE] = "Mute",
    [ROW_DEFAULTS] = "Restore the defaults",
    [ROW_BACK] = "Back",
};

static const int frame_caps[] = {0, 30, 60, 120, 144, 240};
enum { FRAME_CAPS = sizeof frame_caps / sizeof *frame_caps };

// --- the rows ---

static void write_detail(const struct settings *settings, int row, char *detail)
{
    static const char *const flags[] = {"off", "on"};
    switch ((enum row)row) {
    case ROW_SENSITIVITY:
        snprintf(detail, MENU_DETAIL_BYTES, "%.2f", settings->sensitivity);
        break;
    case ROW_CONFINE:
        snprintf(detail, MENU_DETAIL_BYTES, "%s", flags[settings->confines_mouse]);
        break;
    case ROW_SCALE:
        snprintf(detail, MENU_DETAIL_BYTES, "%.0f %%", settings->ui_scale * 100);
        break;
    case ROW_PALETTE:
        snprintf(detail, MENU_DETAIL_BYTES, "%s", palette_of(settings->palette)->title);
        break;
    case ROW_FULL_SCREEN:
        snprintf(detail, MENU_DETAIL_BYTES, "%s", flags[settings->full_screen]);
        break;
    case ROW_FRAME_CAP:
        if (settings->frame_cap_hz == 0)
            snprintf(detail, MENU_DETAIL_BYTES, "as the display");
        else
            snprintf(detail, MENU_DETAIL_BYTES, "%d fps", settings->frame_cap_hz);
        break;
    case ROW_VOLUME:
        snprintf(detail, MENU_DETAIL_BYTES, "%.0f %%", settings->volume * 100);
        break;
    case ROW_MUTE:
        snprintf(detail, MENU_DETAIL_BYTES, "%s", flags[settings->mutes_sound]);
        break;
    case ROW_BINDINGS:
    case ROW_DEFAULTS:
    case ROW_BACK:
    case ROWS:
        detail[0] = '\0';
        break;
    }
}

static void fill_main(struct settings_screen *screen)
{
    char detail[MENU_DETAIL_BYTES];
    screen->menu.list.count = 0;
    for (int i = 0; i < ROWS; i++) {
        write_detail(&screen->preferences->settings, i, detail);
        menu_add(&screen->menu, titles[i], detail);
    }
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
    menu_add(&screen->menu, titles[ROW_DEFAULTS], "");
    menu_add(&screen->menu, titles[ROW_BACK], "");
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
    *screen = (struct settings_screen){.preferences = preferences};
    preferences->settings.full_screen = window_is_full_screen(preferences->window);
    fill(screen);
}

// --- changes ---

static int turned(int value, int way, int count)
{
    return (value + way + count) % count;
}

static int next_frame_cap(int hz, int way)
{
    int index = 0;
    while (index < FRAME_CAPS - 1 && frame_caps[index] < hz)
        index++;
    return frame_caps[turned(index, way, FRAME_CAPS)];
}

// Steps a number, and from the end of its range to the other end where `wraps`.
static double stepped(double value, double step, int way, double min, double max, bool wraps)
{
    const double next = round(value / step + way) * step;
    if (next > max + step / 2)
        return wraps ? min : max;
    return next < min - step / 2 ? min : next;
}

// Changes the selected setting, up or down by `way`.
static void change(struct settings_screen *screen, int way, bool wraps)
{
    struct settings *settings = &screen->preferences->settings;
    switch ((enum row)screen->menu.list.selected) {
    case ROW_SENSITIVITY:
        settings->sensitivity = stepped(settings->sensitivity, 0.05, way, 0.1, 5, wraps);
        break;
    case ROW_CONFINE:
        settings->confines_mouse = !settings->confines_mouse;
        break;
    case ROW_SCALE:
        settings->ui_scale = stepped(settings->ui_scale, 0.25, way, 0.75, 2, wraps);
        break;
    case ROW_PALETTE:
        settings->palette =
            (enum palette_scheme)turned((int)settings->palette, way, PALETTE_SCHEMES);
        break;
    case ROW_FULL_SCREEN:
        settings->full_screen = !settings->full_screen;
        break;
    case ROW_FRAME_CAP:
        settings->frame_cap_hz = next_frame_cap(settings->frame_cap_hz, way);
        break;
    case ROW_VOLUME:
        settings->volume = stepped(settings->volume, 0.1, way, 0, 1, wraps);
        break;
    case ROW_MUTE:
        settings->mutes_sound = !settings->mutes_sound;
        break;
    case ROW_BINDINGS:
    case ROW_DEFAULTS:
    case ROW_BACK:
    case ROWS:
        return;
    }
    settings_limit(settings);
    preferences_apply(screen->preferences);
    if (screen->menu.list.selected == ROW_VOLUME || screen->menu.list.selected == ROW_MUTE)
        sound_play_here(screen->preferences->sound, SOUND_CHAT);
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
    if (chosen == MENU_BACK || chosen == ROW_BACK) {
        preferences_save_settings(screen->preferences);
        return false;
    }
    if (chosen == ROW_BINDINGS)
        turn_page(screen, SETTINGS_BINDINGS);
    else if (chosen == ROW_DEFAULTS)
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
    if (screen->page == SETTINGS_MAIN)
        menu_draw(&screen->menu, ui, "Settings", "Left, right: change     Esc: back");
    else if (screen->waits_for_button)
        menu_draw(&screen->menu, ui, "Keys and buttons", "Esc: keep the old one");
    else
        menu_draw(&screen->menu, ui, "Keys and buttons", "Enter: change     Esc: back");
}
