// SPDX-License-Identifier: MIT
// Formats documents with jansson.
#define _GNU_SOURCE
#include "arena_documents.h"

#include "columns.h"
#include "members.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

// Writes a line of a document; the text may be anybody's.
static void print_line(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%-10s ", name);
    columns_write_text(out, text);
    fputc('\n', out);
}

// Writes the strings of a list with commas between them; nothing if there are none.
static void print_list(FILE *out, const char *name, const json_t *list)
{
    size_t i;
    const json_t *value;
    json_array_foreach(list, i, value)
    {
        fprintf(out, "%-*s", i == 0 ? 11 : 2, i == 0 ? name : ",");
        columns_write_text(out, json_string_value(value));
    }
    if (json_array_size(list) > 0)
        fputc('\n', out);
}

bool arena_print(const char *json, FILE *out)
{
    json_t *room = json_loads(json, 0, NULL);
    const json_t *access = json_object_get(room, "access"), *value;
    const bool good = json_is_string(json_object_get(room, "id"));
    const char *name;
    if (good) {
        print_line(out, "id", text_of(room, "id"));
        print_line(out, "state", text_of(room, "state"));
        print_line(out, "template", text_of(room, "template"));
        print_line(out, "map", text_of(room, "map"));
        const char *address = text_of(room, "address");
        const bool is_v6 = strchr(address, ':') != NULL;
        fprintf(out, "%-10s %s%s%s:%lld\n", "address", is_v6 ? "[" : "", address, is_v6 ? "]" : "",
                number_of(room, "port"));
        fprintf(out, "%-10s %lld of %lld\n", "players", number_of(room, "players"),
                number_of(room, "places"));
        if (json_is_object(access))
            print_line(out, "audience", text_of(access, "audience"));
        print_list(out, "reserved", json_object_get(room, "reserved"));
        print_line(out, "ends", text_of(room, "ends"));
        if (json_is_string(json_object_get(room, "cause")))
            print_line(out, "cause", text_of(room, "cause"));
        json_object_foreach(json_object_get(room, "metadata"), name, value)
        {
            fprintf(out, "%-10s %s=", "metadata", name);
            columns_write_text(out, json_string_value(value));
            fputc('\n', out);
        }
    }
    json_decref(room);
    return good;
}

static void add_room(struct columns *columns, const json_t *room)
{
    columns_add(columns, text_of(room, "id"));
    columns_add(columns, text_of(room, "state"));
    columns_add(columns, text_of(room, "template"));
    columns_add(columns, text_of(room, "map"));
    columns_add_number(columns, number_of(room, "port"));
    columns_add_format(columns, "%lld/%lld", number_of(room, "players"), number_of(room, "places"));
}

bool arena_print_list(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const json_t *rooms = json_object_get(answer, "arenas"), *room;
    bool good = json_is_array(rooms);
    if (good) {
        size_t i;
        struct columns *columns = columns_create("ID|STATE|TEMPLATE|MAP|>PORT|>PLAYERS");
        json_array_foreach(rooms, i, room) add_room(columns, room);
        good = columns_print(columns, out);
    }
    json_decref(answer);
    return good;
}

// A list of strings as one cell, with spaces between them.
static void add_list(struct columns *columns, const json_t *list)
{
    char *text = NULL;
    size_t size, i;
    const json_t *value;
    FILE *out = open_memstream(&text, &size);
    json_array_foreach(list, i, value)
    {
        if (out != NULL)
            fprintf(out, "%s%s", i > 0 ? " " : "", json_string_value(value));
    }
    const bool good = out != NULL && fclose(out) == 0;
    columns_add(columns, good ? text : "-");
    free(text);
}

bool arena_print_templates(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const json_t *templates = json_object_get(answer, "templates"), *template;
    bool good = json_is_array(templates);
    if (good) {
        size_t i;
        struct columns *columns = columns_create("TEMPLATE|>PLACES|>BOTS|ACCESS|MAPS");
        json_array_foreach(templates, i, template)
        {
            columns_add(columns, text_of(template, "name"));
            columns_add_number(columns, number_of(template, "places"));
            columns_add_number(columns, number_of(template, "bots"));
            columns_add(columns, text_of(template, "access"));
            add_list(columns, json_object_get(template, "maps"));
        }
        good = columns_print(columns, out);
    }
    json_decref(answer);
    return good;
}

bool arena_print_capacity(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const bool good = json_is_integer(json_object_get(answer, "free"));
    if (good)
        fprintf(out, "free %lld, rooms %lld, ports %lld, arenas %lld of %lld%s\n",
                number_of(answer, "free"), number_of(answer, "rooms"), number_of(answer, "ports"),
                number_of(answer, "arenas"), number_of(answer, "max_arenas"),
                json_is_true(json_object_get(answer, "accepts")) ? "" : ", no new ones are taken");
    json_decref(answer);
    return good;
}
