// SPDX-License-Identifier: MIT
// Says where to look, and prints what was found as a table or as JSON.
#define _GNU_SOURCE
#include "discover.h"

#include "columns.h"
#include "commands.h"
#include "finder.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

enum { TIMEOUT_MS = 4000 };

// Adds what the command line names. Returns false after saying what is wrong.
static bool add_all(const struct call *call, struct finder *finder)
{
    for (int i = 0; i < call->count; i++) {
        if (!finder_add_host(finder, call->words[i])) {
            fprintf(stderr, "raimctl: no such address: %s (want HOST, HOST:PORT or [IPV6]:PORT)\n",
                    call->words[i]);
            return false;
        }
    }
    for (int i = 0; i < call->option_count; i++) {
        const struct call_option *option = &call->options[i];
        if (strcmp(option->name, "master") == 0 && !finder_add_master(finder, option->value)) {
            fprintf(stderr, "raimctl: no such master server: %s (want HOST:PORT)\n", option->value);
            return false;
        }
    }
    return true;
}

// --- Table ---

static void add_row(struct columns *columns, const struct finder_row *row)
{
    const struct raim_server_info *info = row->info;
    columns_add(columns, row->address);
    if (!row->answers) {
        columns_add(columns, "no answer");
        for (int i = 0; i < 6; i++)
            columns_add(columns, "");
        return;
    }
    columns_add(columns, info->name);
    columns_add_format(columns, "%.0f", row->ping_ms);
    columns_add_format(columns, "%u/%u", info->players, info->most_players);
    columns_add_number(columns, info->bots);
    columns_add(columns, info->map);
    columns_add(columns, info->locked ? "yes" : "");
    columns_add(columns, info->tags);
}

static int print_table(struct finder *finder)
{
    struct columns *columns = columns_create("ADDRESS|NAME|>PING|>PLAYERS|>BOTS|MAP|LOCK|TAGS");
    int found = 0;
    for (int i = 0; i < finder_count(finder); i++) {
        const struct finder_row *row = finder_at(finder, i);
        if (row != NULL)
            add_row(columns, row);
        found += row != NULL && row->answers;
    }
    columns_print(columns, stdout);
    return found;
}

// --- JSON ---

static json_t *tags_json(const char *tags)
{
    json_t *array = json_array();
    while (*tags != '\0') {
        const size_t length = strcspn(tags, ",");
        json_array_append_new(array, json_stringn(tags, length));
        tags += length + (tags[length] == ',');
    }
    return array;
}

static json_t *row_json(const struct finder_row *row)
{
    const struct raim_server_info *info = row->info;
    if (!row->answers)
        return json_pack("{s:s, s:b}", "address", row->address, "answers", 0);
    return json_pack("{s:s, s:b, s:s, s:f, s:i, s:i, s:i, s:s, s:b, s:o}", "address", row->address,
                     "answers", 1, "name", info->name, "ping_ms", row->ping_ms, "players",
                     (int)info->players, "max", (int)info->most_players, "bots", (int)info->bots,
                     "map", info->map, "locked", (int)info->locked, "tags", tags_json(info->tags));
}

static int print_json(struct finder *finder)
{
    json_t *document = json_object(), *array = json_array();
    int found = 0;
    json_object_set_new(document, "servers", array);
    for (int i = 0; i < finder_count(finder); i++) {
        const struct finder_row *row = finder_at(finder, i);
        if (row != NULL)
            json_array_append_new(array, row_json(row));
        found += row != NULL && row->answers;
    }
    json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(4));
    putchar('\n');
    json_decref(document);
    return found;
}

int discover(const struct call *call)
{
    struct finder *finder =
        finder_open(call->count == 0 && commands_option(call, "master") == NULL);
    if (finder == NULL) {
        fputs("raimctl: refused: no UDP socket\n", stderr);
        return EXIT_REFUSED;
    }
    if (!add_all(call, finder)) {
        finder_close(finder);
        return EXIT_UNREACHABLE;
    }
    finder_run(finder, TIMEOUT_MS);
    const int found =
        commands_option(call, "json") != NULL ? print_json(finder) : print_table(finder);
    const bool has_all_lists = finder_has_all_lists(finder);
    finder_close(finder);
    if (!has_all_lists)
        fputs("raimctl: a master server does not answer\n", stderr);
    if (found == 0)
        fputs("raimctl: no arena answers\n", stderr);
    return found > 0 && has_all_lists ? EXIT_SUCCESS : EXIT_UNREACHABLE;
}
