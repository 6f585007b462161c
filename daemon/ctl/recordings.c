// SPDX-License-Identifier: MIT
// Collects pages of recordings with jansson and prints them.
#include "recordings.h"

#include "columns.h"
#include "members.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

struct recordings {
    json_t *list;
};

struct recordings *recordings_create(void)
{
    struct recordings *recordings = malloc(sizeof *recordings);
    if (recordings == NULL)
        return NULL;
    recordings->list = json_array();
    if (recordings->list != NULL)
        return recordings;
    free(recordings);
    return NULL;
}

void recordings_destroy(struct recordings *recordings)
{
    if (recordings == NULL)
        return;
    json_decref(recordings->list);
    free(recordings);
}

bool recordings_add(struct recordings *recordings, const char *text, const char *arena,
                    char next[RECORDING_CURSOR_BYTES])
{
    json_t *page = json_loads(text, 0, NULL), *recording;
    const json_t *list = json_object_get(page, "recordings");
    const char *cursor = json_string_value(json_object_get(page, "next"));
    size_t i;
    bool good = json_is_array(list);
    json_array_foreach(list, i, recording)
    {
        if (arena == NULL || strcmp(text_of(recording, "arena"), arena) == 0)
            good = good && json_array_append(recordings->list, recording) == 0;
    }
    const int size = snprintf(next, RECORDING_CURSOR_BYTES, "%s", cursor != NULL ? cursor : "");
    json_decref(page);
    return good && size < RECORDING_CURSOR_BYTES && (*next == '\0' || recordings_is_name(next));
}

bool recordings_is_empty(const struct recordings *recordings)
{
    return json_array_size(recordings->list) == 0;
}

bool recordings_is_name(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t length = strspn(text, letters);
    return length > 0 && length < RECORDING_CURSOR_BYTES && text[length] == '\0' && text[0] != '.';
}

bool recordings_print_json(const struct recordings *recordings, FILE *out)
{
    json_t *document = json_pack("{sO}", "recordings", recordings->list);
    const bool good =
        document != NULL && json_dumpf(document, out, JSON_COMPACT | JSON_REAL_PRECISION(12)) == 0;
    json_decref(document);
    return good && fputc('\n', out) != EOF;
}

static void add_size(struct columns *columns, double bytes)
{
    if (bytes < 1e5)
        columns_add_format(columns, "%.1f kB", bytes / 1e3);
    else
        columns_add_format(columns, "%.1f MB", bytes / 1e6);
}

static void add_recording(struct columns *columns, const json_t *recording)
{
    const long long length_s = (long long)json_number_value(json_object_get(recording, "length_s"));
    const char *winner = json_string_value(json_object_get(recording, "winner"));
    const bool is_readable = json_is_string(json_object_get(recording, "map"));
    columns_add(columns, text_of(recording, "name"));
    columns_add_format(columns, "%lld:%02lld", length_s / 60, length_s % 60);
    columns_add_number(columns, number_of(recording, "players"));
    columns_add_number(columns, number_of(recording, "bots"));
    add_size(columns, (double)number_of(recording, "bytes"));
    columns_add(columns, json_is_true(json_object_get(recording, "kept")) ? "yes" : "");
    columns_add(columns, !is_readable ? "(unreadable)" : winner != NULL ? winner : "");
}

bool recordings_print(const struct recordings *recordings, FILE *out)
{
    size_t i;
    const json_t *recording;
    struct columns *columns = columns_create("NAME|>LENGTH|>PLAYERS|>BOTS|>SIZE|KEPT|WINNER");
    json_array_foreach(recordings->list, i, recording) add_recording(columns, recording);
    return columns_print(columns, out);
}

bool recordings_print_name(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const char *name = json_string_value(json_object_get(answer, "recording"));
    const bool good = name != NULL && recordings_is_name(name) && fprintf(out, "%s\n", name) > 0;
    json_decref(answer);
    return good;
}
