// SPDX-License-Identifier: MIT
// The pages of the status: which path asks for what, and how it is rendered. Main thread only.
#pragma once

#include "arena_list.h"
#include "http_answer.h"

#include <stdbool.h>
#include <stdint.h>

#define HTTP_PATH_BYTES (sizeof "/arenas/" + CONFIG_NAME_BYTES + sizeof "/stream")
#define HTTP_MAX_ROUTES 8

// What a path answers, rendered now, with a status of HTTP. The text is the caller's; NULL for 404
// and when memory runs out.
struct http_rendering {
    enum http_status status;
    char *text;
};

struct http_route {
    const char *path; // where it ends in a slash, a name follows,
    const char *tail; // and then this
    const char *type;
    struct http_rendering (*render)(const struct arena_list *list, const char *name,
                                    uint64_t now_ms);
};

// Whether a path is `head`, or, where that ends in a slash, a name between it and `tail`, which is
// then copied. One that is has less than HTTP_PATH_BYTES.
bool http_path_matches(const char *path, const char *head, const char *tail,
                       char name[CONFIG_NAME_BYTES]);

// NULL where nothing is there.
const struct http_route *http_route_find(const char *path, char name[CONFIG_NAME_BYTES]);
