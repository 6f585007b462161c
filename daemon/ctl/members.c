// SPDX-License-Identifier: MIT
// Reads members of JSON documents with jansson.
#include "members.h"

#include <jansson.h>

const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "-";
}

long long number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}
