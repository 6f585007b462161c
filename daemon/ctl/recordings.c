// SPDX-License-Identifier: MIT
// Puts the list together from the pages that raimd sends, with jansson, and copies files.
#include "commands.h"

#include "columns.h"
#include "tables.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CURSOR_BYTES = 128 };

// Whether a text can be the name of a recording, and so part of a URL or a file's name.
static bool is_name(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t length = strspn(text, letters);
    return length > 0 && length < CURSOR_BYTES && text[length] == '\0' && text[0] != '.';
}

// Adds a page to a list, without the recordings of other arenas than `arena` unless that is NULL.
// Sets the cursor of the next page, "" after the last one. Returns false if it cannot be read.
static bool add_page(json_t *all, const char *text, const char *arena, char next[CURSOR_BYTES])
{
    json_t *page = json_loads(text, 0, NULL), *recording;
    const json_t *list = json_object_get(page, "recordings");
    const char *cursor = json_string_value(json_object_get(page, "next"));
    size_t i;
    bool good = json_is_array(list);
    json_array_foreach(list, i, recording)
    {
        if (arena == NULL || strcmp(text_of(recording, "arena"), arena) == 0)
            good = good && json_array_append(all, recording) == 0;
    }
    const int size = snprintf(next, CURSOR_BYTES, "%s", cursor != NULL ? cursor : "");
    json_decref(page);
    return good && size < CURSOR_BYTES && (*next == '\0' || is_name(next));
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

static bool print_list(const json_t *list, bool is_json)
{
    size_t i;
    const json_t *recording;
    if (is_json) {
        json_t *document = json_pack("{sO}", "recordings", list);
        json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(document);
        return document != NULL;
    }
    struct columns *columns = columns_create("NAME|>LENGTH|>PLAYERS|>BOTS|>SIZE|KEPT|WINNER");
    json_array_foreach(list, i, recording) add_recording(columns, recording);
    return columns_print(columns, stdout);
}

int recording_list(const struct call *call)
{
    char next[CURSOR_BYTES] = "", path[CURSOR_BYTES + 32] = "/recordings";
    json_t *list = json_array();
    bool good = true;
    int code;
    do {
        struct reply reply;
        code = commands_send_for_file(call, &(struct request){.path = path}, NULL, &reply);
        if (code != EXIT_SUCCESS)
            break;
        good = add_page(list, reply.text, commands_argument(call, 0), next);
        free(reply.text);
        snprintf(path, sizeof path, "/recordings?before=%s", next);
    } while (good && next[0] != '\0');
    if (code == EXIT_SUCCESS && good && json_array_size(list) == 0)
        code = commands_check_arena(call);
    if (code == EXIT_SUCCESS && good)
        good = print_list(list, commands_option(call, "json") != NULL);
    json_decref(list);
    return code != EXIT_SUCCESS || good ? code : commands_not_understood();
}

// Writes a recording to an open file.
static int download(const struct call *call, const char *name, FILE *file)
{
    char path[CURSOR_BYTES + 32];
    struct reply reply;
    snprintf(path, sizeof path, "/recordings/%s", name);
    const int code = commands_send_for_file(call, &(struct request){.path = path}, file, &reply);
    if (code == EXIT_SUCCESS)
        free(reply.text);
    return code;
}

static int wrong_file(const char *path)
{
    fprintf(stderr, "raimctl: %s: %s\n", path, strerror(errno));
    return EXIT_REJECTED;
}

int recording_get(const struct call *call)
{
    const char *name = call->words[0];
    const char *path = call->count > 1 ? call->words[1] : name;
    if (!is_name(name))
        return commands_wrong(call->command, "want the name of a recording");
    if (strcmp(path, "-") == 0)
        return download(call, name, stdout);
    FILE *file = fopen(path, "wx"); // never over another file
    if (file == NULL)
        return wrong_file(path);
    int code = download(call, name, file);
    if (fclose(file) != 0 && code == EXIT_SUCCESS)
        code = wrong_file(path);
    if (code != EXIT_SUCCESS)
        unlink(path);
    return code;
}

bool recordings_print_name(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const char *name = json_string_value(json_object_get(answer, "recording"));
    const bool good = name != NULL && is_name(name);
    if (good)
        fprintf(out, "%s\n", name);
    json_decref(answer);
    return good;
}
