// SPDX-License-Identifier: MIT
// Looks for recordings in folders, and reads their heads.
#include "recordings.h"

#include "files.h"
#include "platform.h"

#include <stdio.h>
#include <string.h>

static const char suffix[] = ".raimrec";

bool recordings_is_name(const char *name)
{
    const size_t length = strlen(name), tail = sizeof suffix - 1;
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

static bool is_listed(const struct recordings *recordings, const char *path)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        if (strcmp(recordings->entries[i].path, path) == 0)
            return true;
    return false;
}

// Inserts in the order of time; the oldest one makes room.
static void insert(struct recordings *recordings, const struct recordings_entry *entry)
{
    uint32_t at = 0;
    while (at < recordings->count && recordings->entries[at].changed_ns >= entry->changed_ns)
        at++;
    if (at == RECORDINGS_MAX)
        return;
    if (recordings->count < RECORDINGS_MAX)
        recordings->count++;
    memmove(&recordings->entries[at + 1], &recordings->entries[at],
            (recordings->count - 1 - at) * sizeof *entry);
    recordings->entries[at] = *entry;
}

static void add_file(void *context, const char *path, int64_t changed_ns)
{
    struct recordings_entry entry = {.changed_ns = changed_ns};
    struct recordings *recordings = context;
    if (snprintf(entry.path, sizeof entry.path, "%s", path) < (int)sizeof entry.path &&
        !is_listed(recordings, path))
        insert(recordings, &entry);
}

void recordings_add(struct recordings *recordings, const char *folder)
{
    files_list(folder, suffix, add_file, recordings);
}

static bool read_mapped(void *context, uint64_t offset, void *bytes, size_t count)
{
    const struct files_map *file = context;
    if (offset > file->size || count > file->size - offset)
        return false;
    memcpy(bytes, file->bytes + offset, count);
    return true;
}

static void read_entry(struct recordings_entry *entry)
{
    struct files_map file;
    struct raim_recording_summary summary;
    if (!files_map(&file, entry->path, entry->fault, sizeof entry->fault))
        return;
    const struct raim_recording_source source = {
        .size = file.size, .read = read_mapped, .context = &file};
    entry->is_good = raim_recording_peek(&source, &summary, entry->fault, sizeof entry->fault);
    if (entry->is_good)
        entry->info = summary.info;
    files_unmap(&file);
}

void recordings_read(struct recordings *recordings)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        read_entry(&recordings->entries[i]);
}

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
    memset(&screen->menu, 0, sizeof screen->menu);
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
                           ? "None yet: a link, or raim FILE.raimrec, opens one"
                           : "Enter: play     Esc: back";
    menu_draw(&screen->menu, ui, "Recordings", hint);
}
