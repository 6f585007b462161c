// SPDX-License-Identifier: MIT
// Builds bodies with jansson, each member by the type of its field.
#define _GNU_SOURCE
#include "commands.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static const char no_utf8[] = "an argument is not UTF-8";

void command_request_synopsis(const struct command_row *row, char *synopsis, size_t capacity)
{
    int length = 0;
    synopsis[0] = '\0';
    for (int i = 0; i < COMMAND_FIELDS; i++) {
        const struct command_field_row *field = &command_fields[i];
        const bool is_needed = (row->needs & COMMAND_BIT(i)) != 0;
        if (!command_has(row, (enum command_field)i))
            continue;
        length +=
            snprintf(synopsis + length, capacity - (size_t)length, "%s%s%s%s%s%s%s%s",
                     length > 0 ? " " : "", is_needed ? "" : "[", field->option != NULL ? "--" : "",
                     field->option != NULL ? field->option : "",
                     field->option != NULL && field->word != NULL ? " " : "",
                     field->word != NULL ? field->word : "", is_needed ? "" : "]",
                     field->type == TYPE_TEXTS || field->type == TYPE_NUMBERS ? "..." : "");
    }
    if (row->answer != NULL)
        snprintf(synopsis + length, capacity - (size_t)length, "%s[--json]", length > 0 ? " " : "");
}

static json_t *make_list(const char *text)
{
    json_t *list = json_array();
    for (const char *at = text; at != NULL; at = *at == ',' ? at + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        if (json_array_append_new(list, json_stringn(at, length)) != 0) {
            json_decref(list);
            return NULL;
        }
        at += length;
    }
    return list;
}

// Sets a member "NAME=VALUE" of an object, which is made with the first one.
static const char *set_pair(json_t *body, enum command_field field, const char *pair)
{
    const char *name = command_fields[field].name, *equals = strchr(pair, '=');
    json_t *object = json_object_get(body, name);
    if (equals == NULL)
        return command_fields[field].type == TYPE_TEXTS ? "want NAME=VALUE" : "want NAME=NUMBER";
    if (object == NULL) {
        object = json_object();
        json_object_set_new(body, name, object);
    }
    char *end = NULL, *key = strndup(pair, (size_t)(equals - pair));
    json_t *value = command_fields[field].type == TYPE_TEXTS ? json_string(equals + 1)
                                                             : json_real(strtod(equals + 1, &end));
    const bool is_good = end == NULL || (end > equals + 1 && *end == '\0');
    const int code = key != NULL ? json_object_set_new(object, key, value) : -1;
    free(key);
    return !is_good ? "want NAME=NUMBER" : code == 0 ? NULL : no_utf8;
}

// Sets a field of the body. Returns NULL, or what is wrong.
static const char *set_field(json_t *body, enum command_field field, const char *text)
{
    const struct command_field_row *row = &command_fields[field];
    json_t *value = NULL;
    if (!command_check(field, text))
        return row->wrong;
    switch (row->type) {
    case TYPE_STRING:
    case TYPE_CHOICE:
        value = json_string(text);
        break;
    case TYPE_INTEGER:
        value = json_integer(atoll(text));
        break;
    case TYPE_BOOLEAN:
        value = json_true();
        break;
    case TYPE_LIST:
        value = make_list(text);
        break;
    case TYPE_TEXTS:
    case TYPE_NUMBERS:
        return set_pair(body, field, text);
    }
    return json_object_set_new(body, row->name, value) == 0 ? NULL : no_utf8;
}

// How many words a command has to have.
static int needed_words(const struct command_row *row)
{
    int count = 0;
    for (int i = 0; i < COMMAND_FIELDS; i++)
        count += (row->needs & COMMAND_BIT(i)) != 0 && command_fields[i].option == NULL;
    return count;
}

// Sets the fields that are words. One that is not needed is there if there are words enough.
static const char *set_words(const struct call *call, json_t *body, const char **id)
{
    const struct command_row *row = call->command->row;
    int needed = needed_words(row), place = 0;
    const char *problem = NULL;
    for (int i = 0; i < COMMAND_FIELDS && problem == NULL; i++) {
        const bool is_needed = (row->needs & COMMAND_BIT(i)) != 0;
        if (!command_has(row, (enum command_field)i) || command_fields[i].option != NULL ||
            (!is_needed && call->count - place <= needed))
            continue;
        needed -= is_needed;
        if (i == FIELD_ID)
            *id = call->words[place++];
        else
            problem = set_field(body, (enum command_field)i, call->words[place++]);
    }
    return problem;
}

static const char *set_options(const struct call *call, json_t *body)
{
    const struct command_row *row = call->command->row;
    for (int i = 0; i < call->option_count; i++)
        for (int field = 0; field < COMMAND_FIELDS; field++) {
            const char *option = command_fields[field].option;
            if (option == NULL || !command_has(row, (enum command_field)field) ||
                strcmp(option, call->options[i].name) != 0)
                continue;
            const char *problem =
                set_field(body, (enum command_field)field, call->options[i].value);
            if (problem != NULL)
                return problem;
        }
    for (int field = 0; field < COMMAND_FIELDS; field++)
        if ((row->needs & COMMAND_BIT(field)) != 0 && command_fields[field].option != NULL &&
            json_object_get(body, command_fields[field].name) == NULL)
            return "an option is missing";
    return NULL;
}

static bool is_id(const char *id)
{
    const size_t length = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789._-");
    return length >= 1 && length <= 63 && id[length] == '\0' && strcmp(id, ".") != 0 &&
           strcmp(id, "..") != 0;
}

bool command_request_make(const struct call *call, char path[COMMAND_PATH_BYTES], char **body,
                          const char **problem)
{
    const struct command_row *row = call->command->row;
    const char *id = "";
    json_t *root = json_object();
    *problem = set_words(call, root, &id);
    if (*problem == NULL)
        *problem = set_options(call, root);
    if (*problem == NULL && command_has(row, FIELD_ID) && !is_id(id))
        *problem = "want an id of 1 to 63 characters of A-Z, a-z, 0-9, ., _ and -";
    *body = NULL;
    if (*problem == NULL && strcmp(row->method, "GET") != 0 &&
        (*body = json_dumps(root, JSON_COMPACT)) == NULL)
        *problem = "out of memory";
    json_decref(root);
    command_path(row, id, path);
    return *problem == NULL;
}
