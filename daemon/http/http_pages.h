// SPDX-License-Identifier: MIT
// The newest rendering of each path of the status (http_routes.h), kept for a tenth of a second, so
// that a flood of requests costs at most ten renderings a second. Main thread only.
#pragma once

#include "config.h"
#include "http_answer.h"
#include "http_routes.h"

#include <stdint.h>

#define HTTP_PAGES                                                                                 \
    (2 * CONFIG_MAX_ARENAS + HTTP_MAX_ROUTES) // nothing that can be asked for lacks one

// A rendering. The response outlives its replacement here while a connection sends it.
struct http_page {
    struct MHD_Response *response; // NULL: a free slot
    char path[HTTP_PATH_BYTES];
    enum http_status status;
    uint64_t rendered_ms;
};

// Zeroed at first.
struct http_pages {
    struct http_page slots[HTTP_PAGES];
};

// The page of a path that a route and a name were found for; rendered anew where it is too old.
// Valid until the next call. NULL with the status to answer with: HTTP_NOT_FOUND, or
// HTTP_UNAVAILABLE when memory runs out.
const struct http_page *http_pages_get(struct http_pages *pages, const struct http_route *route,
                                       const char *path, const char *name,
                                       const struct arena_list *list, enum http_status *problem);

void http_pages_clear(struct http_pages *pages);
