// SPDX-License-Identifier: MIT
// Takes members of JSON with jansson, each by the type of its field.
#include "command_body.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

// Whether a text has no control characters, which would break the lines of the log.
static bool is_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7F)
            return false;
    return true;
}

static const char *take(char value[COMMAND_FIELD_BYTES], enum command_field field,
                        const json_t *member)
{
    const char *wrong = command_fields[field].wrong;
    switch (command_fields[field].type) {
    case TYPE_INTEGER:
        snprintf(value, COMMAND_FIELD_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(member));
        return json_is_integer(member) ? NULL : wrong;
    case TYPE_BOOLEAN:
        strcpy(value, json_is_true(member) ? "true" : "");
        return json_is_boolean(member) ? NULL : "want true or false";
    default:
        break;
    }
    const char *text = json_string_value(member);
    if (text == NULL || strlen(text) >= COMMAND_FIELD_BYTES || !is_printable(text))
        return "want texts of at most 511 bytes without control characters";
    strcpy(value, text);
    return text[0] != '\0' || wrong == NULL ? NULL : wrong;
}

static const char *read_members(struct command_call *call, const json_t *root)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)root, name, member)
    {
        const enum command_field field = command_field_find(call->row, name);
        if (field == COMMAND_FIELDS)
            return "this command does not take one of the fields";
        const char *problem = take(call->fields[field], field, member);
        if (problem != NULL)
            return problem;
    }
    return NULL;
}

const char *command_body_read(struct command_call *call)
{
    json_t *root = call->body_bytes == 0
                       ? json_object()
                       : json_loadb(call->body, call->body_bytes, JSON_REJECT_DUPLICATES, NULL);
    const char *problem =
        json_is_object(root) ? read_members(call, root) : "want a JSON object as the body";
    json_decref(root);
    return problem;
}
