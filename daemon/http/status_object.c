// SPDX-License-Identifier: MIT
// Builds objects with jansson.
#define _GNU_SOURCE
#include "status_object.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool status_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

bool status_put_count(json_t *object, const char *key, uint64_t count)
{
    return status_put(object, key, json_integer((json_int_t)count));
}

bool status_put_tenths(json_t *object, const char *key, double number)
{
    return status_put(object, key, json_real(round(10 * number) / 10));
}

json_t *status_finish(json_t *object, bool complete)
{
    if (complete)
        return object;
    json_decref(object);
    return NULL;
}

json_t *status_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    char *plain = strdup(text);
    for (char *byte = plain; byte != NULL && *byte != '\0'; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    string = plain != NULL ? json_string(plain) : NULL;
    free(plain);
    return string;
}

json_t *status_name(const char *name, size_t capacity)
{
    json_t *string = json_stringn(name, strnlen(name, capacity));
    return string != NULL ? string : json_string("?");
}
