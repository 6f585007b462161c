// SPDX-License-Identifier: MIT
// Cache of the rendered pages of the status server (http_routes.h). A page is reused for 100 ms, so
// that a flood of requests costs at most ten renderings per second and path. Main thread only.
#pragma once

#include "config.h"
#include "http_answer.h"
#include "http_routes.h"

#include <stdint.h>

#define HTTP_PAGES (2 * CONFIG_MAX_ARENAS + HTTP_MAX_ROUTES) // enough for every valid path

// A rendered page. Connections that still send a replaced response hold their own references.
struct http_page {
    struct MHD_Response *response; // NULL: a free slot
    char path[HTTP_PATH_BYTES];
    enum http_status status;
    uint64_t rendered_ms;
};

// Zero-initialize before use.
struct http_pages {
    struct http_page slots[HTTP_PAGES];
};

// The page of a path, with the route and name that http_route_find gave for it. Renders it if the
// cached page is too old. Valid until the next call. Returns NULL with the HTTP status in
// `problem`: HTTP_NOT_FOUND, or HTTP_UNAVAILABLE when memory runs out.
const struct http_page *http_pages_get(struct http_pages *pages, const struct http_route *route,
                                       const char *path, const char *name,
                                       const struct arena_list *list, enum http_status *problem);

void http_pages_clear(struct http_pages *pages);
