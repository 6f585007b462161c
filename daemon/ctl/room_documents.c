// SPDX-License-Identifier: MIT
// Builds and formats the documents of rooms with jansson.
#define _GNU_SOURCE
#include "room_documents.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static const char memory_problem[] = "out of memory";

bool room_is_id(const char *id)
{
    const size_t length = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789._-");
    return length >= 1 && length <= 63 && id[length] == '\0' && strcmp(id, ".") != 0 &&
           strcmp(id, "..") != 0;
}

// --- Bodies ---

static void set_text(json_t *body, const char *name, const char *text, const char **problem)
{
    if (text != NULL && json_object_set_new(body, name, json_string(text)) != 0)
        *problem = "an argument is not UTF-8";
}

static void set_number(json_t *body, const char *name, const char *text, const char **problem)
{
    const size_t digits = text != NULL ? strspn(text, "0123456789") : 0;
    if (text == NULL)
        return;
    if (digits < 1 || digits > 9 || text[digits] != '\0')
        *problem = "a number is expected behind --places, --join-within and --timeout";
    else if (json_object_set_new(body, name, json_integer(atoll(text))) != 0)
        *problem = memory_problem;
}

static void set_players(json_t *body, const char *players, const char **problem)
{
    json_t *list = json_array();
    for (const char *at = players; at != NULL && *problem == NULL;) {
        const size_t length = strcspn(at, ",");
        if (json_array_append_new(list, json_stringn(at, length)) != 0)
            *problem = "a name of a player is not UTF-8";
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    if (players == NULL)
        json_decref(list);
    else if (json_object_set_new(body, "players", list) != 0)
        *problem = memory_problem;
}

static void set_metadata(json_t *body, const struct room_options *options, const char **problem)
{
    json_t *object = json_object();
    for (int i = 0; i < options->metadata_count && *problem == NULL; i++) {
        const char *pair = options->metadata[i], *equals = strchr(pair, '=');
        char *name = equals != NULL ? strndup(pair, (size_t)(equals - pair)) : NULL;
        if (equals == NULL)
            *problem = "want NAME=VALUE behind --metadata";
        else if (name == NULL || json_object_set_new(object, name, json_string(equals + 1)) != 0)
            *problem = "metadata is not UTF-8";
        free(name);
    }
    if (options->metadata_count == 0)
        json_decref(object);
    else if (json_object_set_new(body, "metadata", object) != 0)
        *problem = memory_problem;
}

// Takes the body.
static char *text_of_body(json_t *body, const char **problem)
{
    char *text = *problem == NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    if (*problem == NULL && text == NULL)
        *problem = memory_problem;
    json_decref(body);
    return text;
}

char *room_create_body(const struct room_options *options, const char **problem)
{
    json_t *body = json_object();
    set_text(body, "template", options->template_name, problem);
    set_text(body, "map", options->map, problem);
    set_number(body, "places", options->places, problem);
    set_players(body, options->players, problem);
    set_number(body, "join_within_s", options->join_within, problem);
    set_text(body, "ends", options->ends, problem);
    set_metadata(body, options, problem);
    return text_of_body(body, problem);
}

char *room_change_body(const struct room_options *options, const char **problem)
{
    json_t *body = json_object();
    set_number(body, "places", options->places, problem);
    set_metadata(body, options, problem);
    return text_of_body(body, problem);
}

char *room_end_body(const struct room_options *options, const char **problem)
{
    json_t *body = json_object();
    set_text(body, "reason", options->reason, problem);
    if (options->drains && json_object_set_new(body, "drain", json_true()) != 0)
        *problem = memory_problem;
    set_number(body, "within_s", options->within, problem);
    return text_of_body(body, problem);
}

// --- Answers ---

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "-";
}

static long long number_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// Writes a line of a list, like "players" and the values with commas between them.
static void print_line(FILE *out, const char *name, const json_t *list)
{
    size_t i;
    const json_t *value;
    if (json_array_size(list) == 0)
        return;
    fprintf(out, "%-10s", name);
    json_array_foreach(list, i, value)
        fprintf(out, "%s%s", i > 0 ? ", " : " ", json_string_value(value));
    fputc('\n', out);
}

bool room_print(const char *json, FILE *out)
{
    json_t *room = json_loads(json, 0, NULL);
    const json_t *access = json_object_get(room, "access"), *value;
    const bool good = json_is_string(json_object_get(room, "id"));
    const char *name;
    if (good) {
        fprintf(out, "%-10s %s\n%-10s %s\n", "id", text_at(room, "id"), "state",
                text_at(room, "state"));
        fprintf(out, "%-10s %s\n%-10s %s\n", "template", text_at(room, "template"), "map",
                text_at(room, "map"));
        const char *address = text_at(room, "address");
        const bool is_v6 = strchr(address, ':') != NULL;
        fprintf(out, "%-10s %s%s%s:%lld\n", "address", is_v6 ? "[" : "", address, is_v6 ? "]" : "",
                number_at(room, "port"));
        fprintf(out, "%-10s %lld of %lld\n", "players", number_at(room, "players"),
                number_at(room, "places"));
        if (json_is_object(access))
            fprintf(out, "%-10s %s\n", "audience", text_at(access, "audience"));
        print_line(out, "reserved", json_object_get(room, "reserved"));
        fprintf(out, "%-10s %s\n", "ends", text_at(room, "ends"));
        if (json_is_string(json_object_get(room, "cause")))
            fprintf(out, "%-10s %s\n", "cause", text_at(room, "cause"));
        json_object_foreach(json_object_get(room, "metadata"), name, value)
            fprintf(out, "%-10s %s=%s\n", "metadata", name, json_string_value(value));
    }
    json_decref(room);
    return good;
}

bool room_print_list(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const json_t *rooms = json_object_get(answer, "arenas"), *room;
    const bool good = json_is_array(rooms);
    if (good) {
        size_t i;
        fprintf(out, "ID                       STATE    TEMPLATE     MAP           PORT PLAYERS\n");
        json_array_foreach(rooms, i, room)
            fprintf(out, "%-24s %-8s %-12s %-12s %5lld %3lld/%lld\n", text_at(room, "id"),
                    text_at(room, "state"), text_at(room, "template"), text_at(room, "map"),
                    number_at(room, "port"), number_at(room, "players"), number_at(room, "places"));
    }
    json_decref(answer);
    return good;
}

bool room_print_templates(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const json_t *templates = json_object_get(answer, "templates"), *template;
    const bool good = json_is_array(templates);
    if (good) {
        size_t i, j;
        fprintf(out, "TEMPLATE                        PLACES BOTS ACCESS MAPS\n");
        json_array_foreach(templates, i, template)
        {
            const json_t *map;
            fprintf(out, "%-31s %6lld %4lld %-6s", text_at(template, "name"),
                    number_at(template, "places"), number_at(template, "bots"),
                    text_at(template, "access"));
            json_array_foreach(json_object_get(template, "maps"), j, map)
                fprintf(out, " %s", json_string_value(map));
            fputc('\n', out);
        }
    }
    json_decref(answer);
    return good;
}

bool room_print_capacity(const char *json, FILE *out)
{
    json_t *answer = json_loads(json, 0, NULL);
    const bool good = json_is_integer(json_object_get(answer, "free"));
    if (good)
        fprintf(out, "free %lld, rooms %lld, ports %lld, arenas %lld of %lld%s\n",
                number_at(answer, "free"), number_at(answer, "rooms"), number_at(answer, "ports"),
                number_at(answer, "arenas"), number_at(answer, "max_arenas"),
                json_is_true(json_object_get(answer, "accepts")) ? "" : ", no new ones are taken");
    json_decref(answer);
    return good;
}
