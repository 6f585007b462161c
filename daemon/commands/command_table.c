// SPDX-License-Identifier: MIT
// Makes the tables of the rows of command_rows.h and command_fields.h.
#include "command_table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name_, json_, type_, min_, max_, choices_, word_, option_, wrong_, help_)            \
    [FIELD_##name_] = {.name = (json_),                                                            \
                       .type = TYPE_##type_,                                                       \
                       .min = (min_),                                                              \
                       .max = (max_),                                                              \
                       .choices = (choices_),                                                      \
                       .word = (word_),                                                            \
                       .option = (option_),                                                        \
                       .wrong = (wrong_),                                                          \
                       .help = (help_)},

const struct command_field_row command_fields[COMMAND_FIELDS] = {
#include "command_fields.h"
};
#undef FIELD

// Bits of fields, for the rows of commands.
#define FIELD(name, ...) name = 1 << FIELD_##name,
enum {
#include "command_fields.h"
};
#undef FIELD

static_assert(COMMAND_FIELDS <= 31, "fields are bits");

static const char no_player[] = "no such player id, or its client is disconnected";
static const char no_vote[] = "no vote is running";

#define COMMAND(name_, scope_, level_, needs_, takes_, function_, failure_, help_)                 \
    {.name = (name_),                                                                              \
     .scope = COMMAND_##scope_,                                                                    \
     .level = COMMAND_##level_,                                                                    \
     .method = "POST",                                                                             \
     .needs = (needs_),                                                                            \
     .takes = (takes_),                                                                            \
     .failure = (failure_),                                                                        \
     .help = (help_)},
#define REQUEST(name_, scope_, method_, path_, needs_, takes_, function_, answer_, help_)          \
    {.name = (name_),                                                                              \
     .scope = COMMAND_##scope_,                                                                    \
     .method = (method_),                                                                          \
     .path = (path_),                                                                              \
     .needs = (needs_),                                                                            \
     .takes = (takes_),                                                                            \
     .answer = (answer_),                                                                          \
     .help = (help_)},

const struct command_row command_rows[] = {
#include "command_rows.h"
};

const int command_count = sizeof command_rows / sizeof *command_rows;

const struct command_row *command_find(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (strcmp(command_rows[i].name, name) == 0)
            return &command_rows[i];
    return NULL;
}

void command_slug(const struct command_row *row, char slug[COMMAND_SLUG_BYTES])
{
    size_t length = 0;
    for (; row->name[length] != '\0'; length++)
        slug[length] = row->name[length] == ' ' ? '-' : row->name[length];
    slug[length] = '\0';
}

void command_path(const struct command_row *row, const char *id, char path[COMMAND_PATH_BYTES])
{
    char slug[COMMAND_SLUG_BYTES];
    command_slug(row, slug);
    if (row->path == NULL)
        snprintf(path, COMMAND_PATH_BYTES, "/v1/commands/%s", slug);
    else if (command_has(row, FIELD_ID))
        snprintf(path, COMMAND_PATH_BYTES, "%.*s%s", (int)strcspn(row->path, "{"), row->path, id);
    else
        snprintf(path, COMMAND_PATH_BYTES, "%s", row->path);
}

// Whether a path is that of a command; sets what stands for "{id}".
static bool has_path(const struct command_row *row, const char *path, const char **id)
{
    char own[COMMAND_PATH_BYTES];
    command_path(row, "", own);
    const size_t length = strlen(own);
    *id = "";
    if (!command_has(row, FIELD_ID))
        return strcmp(path, own) == 0;
    *id = path + length;
    return strncmp(path, own, length) == 0 && path[length] != '\0';
}

const struct command_row *command_route(const char *method, const char *path, const char **id,
                                        char allow[COMMAND_ALLOW_BYTES])
{
    const struct command_row *found = NULL;
    const char *its_id;
    allow[0] = '\0';
    *id = "";
    for (int i = 0; i < command_count; i++) {
        const struct command_row *row = &command_rows[i];
        if (!has_path(row, path, &its_id))
            continue;
        assert(strlen(allow) + 2 + strlen(row->method) < COMMAND_ALLOW_BYTES);
        if (allow[0] != '\0')
            strcat(allow, ", ");
        strcat(allow, row->method);
        if (strcmp(row->method, method) != 0)
            continue;
        found = row;
        *id = its_id;
    }
    return found;
}

bool command_has(const struct command_row *row, enum command_field field)
{
    return ((row->needs | row->takes) & COMMAND_BIT(field)) != 0;
}

enum command_field command_field_find(const struct command_row *row, const char *name)
{
    int field = 0;
    while (field < COMMAND_FIELDS && !(command_has(row, (enum command_field)field) &&
                                       strcmp(command_fields[field].name, name) == 0))
        field++;
    return (enum command_field)field;
}

bool command_changes(const struct command_row *row)
{
    return strcmp(row->method, "GET") != 0 && strcmp(row->name, "ban preview") != 0;
}

bool command_is_word_of_text(const struct command_row *row, enum command_field field)
{
    switch (field) {
    case FIELD_ARENA:
        return row->scope == COMMAND_SERVER && command_has(row, field);
    case FIELD_PLAYER:
        return command_has(row, field) && !command_has(row, FIELD_ADDRESS);
    case FIELD_UNTIL:
    case FIELD_WIDE:
    case FIELD_FROM:
        return false;
    default:
        return command_has(row, field);
    }
}

bool command_needs_word_of_text(const struct command_row *row, enum command_field field)
{
    return (row->needs & COMMAND_BIT(field)) != 0 || field == FIELD_ADDRESS;
}

// Whether a text is one of several with "|" between them.
static bool is_choice(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = choices; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (length > 0 && strncmp(at, text, length) == 0 && strchr("|", at[length]) != NULL)
            return true;
    }
    return false;
}

bool command_check(enum command_field field, const char *value)
{
    const struct command_field_row *row = &command_fields[field];
    const size_t digits = strspn(value, "0123456789");
    if (row->type == TYPE_CHOICE)
        return is_choice(row->choices, value);
    if (row->type != TYPE_INTEGER)
        return true;
    const int64_t number = digits >= 1 && digits <= 18 && value[digits] == '\0' ? atoll(value) : -1;
    return number >= row->min && number <= row->max;
}
