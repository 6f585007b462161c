// SPDX-License-Identifier: MIT
// Keeps texts in the browser's storage by their paths.
#define _GNU_SOURCE // getentropy
#include "files_web.h"

#include "page.h"
#include "platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RECORDINGS "data/recordings"

static struct {
    char path[FILES_PATH_BYTES];
    uint8_t *bytes; // NULL: none
    size_t size;
} recording;

int64_t platform_unix_s(void)
{
    return time(NULL);
}

void platform_write_date(int64_t unix_s, char text[PLATFORM_DATE_BYTES])
{
    text[page_write_date((double)unix_s, text, PLATFORM_DATE_BYTES - 1)] = '\0';
}

uint32_t platform_random(void)
{
    uint32_t number = 0;
    (void)!getentropy(&number, sizeof number);
    return number;
}

bool platform_can_quit(void)
{
    return false;
}

void platform_say(const char *words)
{
    page_say(words, strlen(words));
}

bool files_path(enum files_folder folder, const char *name, char *path, size_t capacity)
{
    const char *base = folder == FILES_SETTINGS ? "settings" : "data";
    return snprintf(path, capacity, "%s/%s", base, name) < (int)capacity;
}

char *files_read(const char *path, size_t *size)
{
    const int length = page_load(path, strlen(path), NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text == NULL)
        return NULL;
    page_load(path, strlen(path), text, (size_t)length);
    text[length] = '\0';
    *size = (size_t)length;
    return text;
}

bool files_replace(const char *path, const char *text, size_t size)
{
    return page_store(path, strlen(path), text, size);
}

bool files_rename(const char *from, const char *to)
{
    size_t size;
    char *text = files_read(from, &size);
    const bool is_done =
        text != NULL && files_replace(to, text, size) && files_replace(from, "", 0);
    free(text);
    return is_done;
}

bool files_folder_of(const char *file, char *folder, size_t capacity)
{
    (void)file, (void)folder, (void)capacity;
    return false; // there is one recording, and it is not kept
}

const char *files_keep_recording(const char *name, uint8_t *bytes, size_t size)
{
    free(recording.bytes);
    recording.bytes = bytes;
    recording.size = size;
    snprintf(recording.path, sizeof recording.path, RECORDINGS "/%s", name);
    return recording.path;
}

void files_list(const char *folder, const char *suffix,
                void (*take)(void *context, const char *path, int64_t changed_ns), void *context)
{
    (void)suffix;
    if (recording.bytes != NULL && strcmp(folder, RECORDINGS) == 0)
        take(context, recording.path, platform_unix_s() * 1000000000);
}

bool files_map(struct files_map *map, const char *path, char *error, size_t capacity)
{
    *map = (struct files_map){0};
    if (recording.bytes != NULL && strcmp(path, recording.path) == 0)
        *map = (struct files_map){recording.bytes, recording.size};
    else
        snprintf(error, capacity, "there is no such recording");
    return map->bytes != NULL;
}

void files_unmap(struct files_map *map)
{
    *map = (struct files_map){0};
}
