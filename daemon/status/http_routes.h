// SPDX-License-Identifier: MIT
// Routes of the status server: paths and the functions that render them. Main thread only.
#pragma once

#include "http_answer.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

#define HTTP_PATH_BYTES (sizeof "/arenas/" + CONFIG_NAME_BYTES + sizeof "/history")
#define HTTP_MAX_ROUTES 12

// A rendered document with its HTTP status. The caller frees the text, which is NULL for 404 and
// when memory runs out.
struct http_rendering {
    enum http_status status;
    char *text;
};

struct http_route {
    const char *path; // a path that ends in a slash is followed by a name
    const char *tail; // follows the name
    const char *type;
    struct http_rendering (*render)(const struct status_view *view, const char *name,
                                    uint64_t now_ms);
};

// Whether a path consists of `head`, a name and `tail`, or, if `head` ends in no slash, equals
// `head`; copies the name. A matching path is shorter than HTTP_PATH_BYTES.
bool http_path_matches(const char *path, const char *head, const char *tail,
                       char name[CONFIG_NAME_BYTES]);

// The route of a path, or NULL; copies the name in it.
const struct http_route *http_route_find(const char *path, char name[CONFIG_NAME_BYTES]);
