// SPDX-License-Identifier: MIT
// Reads and writes arenas' JSON texts with jansson.
#define _GNU_SOURCE
#include "arena_text.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *arena_text_request(const char *json, const char *template_name)
{
    json_t *request = json != NULL ? json_loads(json, 0, NULL) : json_object();
    char *text;
    if (!json_is_object(request)) {
        text = json != NULL ? strdup(json) : NULL;
    } else if (template_name[0] == '\0' || json_object_get(request, "template") != NULL) {
        text = json_dumps(request, JSON_COMPACT);
    } else {
        const bool is_set =
            json_object_set_new(request, "template", json_string(template_name)) == 0;
        text = is_set ? json_dumps(request, JSON_COMPACT) : NULL;
    }
    json_decref(request);
    return text;
}

// Cuts after a whole character of UTF-8.
static void copy_problem(struct arena_text *arena, const char *problem, const char *detail)
{
    snprintf(arena->problem, sizeof arena->problem, "%s%s%s", problem,
             detail[0] != '\0' ? ": " : "", detail);
    size_t size = strlen(arena->problem);
    if (size < sizeof arena->problem - 1)
        return;
    while (size > 0 && ((unsigned char)arena->problem[size - 1] & 0xC0) == 0x80)
        size--;
    arena->problem[size > 0 ? size - 1 : 0] = '\0';
}

static const char *string_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

// The text of the first mistake, whether it is a text itself or an object.
static const char *first_mistake(const json_t *answer)
{
    const json_t *mistake = json_array_get(json_object_get(answer, "mistakes"), 0);
    const char *text = json_string_value(mistake);
    return text != NULL ? text : string_of(mistake, "message");
}

struct arena_text arena_text_read(unsigned status, const char *text)
{
    struct arena_text arena = {0};
    json_t *answer = text != NULL ? json_loads(text, 0, NULL) : NULL;
    const json_int_t port = json_integer_value(json_object_get(answer, "port"));
    const char *name = string_of(answer, "name");
    if (answer == NULL) {
        copy_problem(&arena, "out of memory", "");
    } else if (status != 200 && status != 201) {
        copy_problem(&arena, string_of(answer, "error"), first_mistake(answer));
    } else if (strcmp(string_of(answer, "state"), "ended") == 0 || port < 1 || port > UINT16_MAX) {
        copy_problem(&arena, "it has ended already", "");
    } else {
        arena.is_running = true;
        arena.port = (uint16_t)port;
        snprintf(arena.name, sizeof arena.name, "%s", name);
    }
    json_decref(answer);
    return arena;
}
