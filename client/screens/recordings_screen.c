// SPDX-License-Identifier: MIT
// Shows the list of recordings.
#include "recordings_screen.h"

#include "files.h"
#include "platform.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const struct recordings_entry *entry)
{
    const char *slash = strrchr(entry->path, '/');
    return slash != NULL ? slash + 1 : entry->path;
}

// Writes when it was recorded, where, and how long it is.
static void write_item(const struct recordings_entry *entry, char *text, char *detail)
{
    const struct raim_recording_info *info = &entry->info;
    char when[PLATFORM_DATE_BYTES];
    if (!entry->is_good) {
        snprintf(text, MENU_TEXT_BYTES, "%.*s", MENU_TEXT_BYTES - 1, name_of(entry));
        snprintf(detail, MENU_DETAIL_BYTES, "%.*s", MENU_DETAIL_BYTES - 1, entry->fault);
        return;
    }
    platform_write_date((int64_t)(info->start_unix_ms / 1000), when);
    snprintf(text, MENU_TEXT_BYTES, "%s   %.20s, round %u", when, info->arena, info->round);
    const unsigned seconds = info->ticks / (info->tick_hz > 0 ? info->tick_hz : 1);
    snprintf(detail, MENU_DETAIL_BYTES, "%s%s%u:%02u   %u player%s", info->winner,
             info->winner[0] != '\0' ? " won   " : "", seconds / 60, seconds % 60, info->clients,
             info->clients == 1 ? "" : "s");
}

void recordings_screen_open(struct recordings_screen *screen, const struct preferences *preferences)
{
    char folder[RECORDINGS_PATH_BYTES], text[MENU_TEXT_BYTES], detail[MENU_DETAIL_BYTES];
    screen->recordings.count = 0;
    screen->menu = (struct menu){0};
    screen->problem[0] = '\0';
    if (preferences->settings.recordings[0] != '\0')
        recordings_add(&screen->recordings, preferences->settings.recordings);
    if (files_path(FILES_DATA, "recordings", folder, sizeof folder))
        recordings_add(&screen->recordings, folder);
    recordings_read(&screen->recordings);
    for (uint32_t i = 0; i < screen->recordings.count; i++) {
        write_item(&screen->recordings.entries[i], text, detail);
        menu_add(&screen->menu, text, detail);
    }
    menu_add(&screen->menu, "Back", "");
}

int recordings_screen_handle(struct recordings_screen *screen, const struct window *window,
                             const struct window_event *event)
{
    const int chosen = menu_handle(&screen->menu, window, event);
    if (chosen == MENU_BACK || chosen == (int)screen->recordings.count)
        return RECORDINGS_SCREEN_BACK;
    return chosen >= 0 ? chosen : RECORDINGS_SCREEN_ON;
}

void recordings_screen_draw(struct recordings_screen *screen, const struct ui *ui)
{
    const char *hint = screen->problem[0] != '\0' ? screen->problem
                       : screen->recordings.count == 0
                           ? "None yet: raim FILE.raimrec plays one, and its folder is then listed"
                           : "Enter: play     Esc: back";
    menu_draw(&screen->menu, ui, "Recordings", hint);
}
