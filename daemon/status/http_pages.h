// SPDX-License-Identifier: MIT
// Cache of the rendered pages of the status server (http_routes.h). A page is reused for 100 ms,
// and for 20 times as long as it took to render and compress it: so a flood of requests costs at
// most ten renderings a second of each path, and about a twentieth of the main thread for each.
// Main thread only.
#pragma once

#include "config.h"
#include "http_document.h"
#include "http_routes.h"

#include <stdint.h>

#define HTTP_PAGES (3 * CONFIG_MAX_ARENAS + HTTP_MAX_ROUTES) // enough for every valid path

// A rendered page.
struct http_page {
    struct http_document document; // none: a free slot
    char path[HTTP_PATH_BYTES];
    enum http_status status;
    uint64_t rendered_us;
    uint64_t cost_us; // of rendering and sending it, since then
};

// Zero-initialize before use.
struct http_pages {
    struct http_page slots[HTTP_PAGES];
};

// Sends the page of a path, with the route and name that http_route_find gave for it. Renders it if
// the cached page is too old. Returns false if there is no page, with the HTTP status in `problem`:
// HTTP_NOT_FOUND, or HTTP_UNAVAILABLE when memory runs out; nothing was sent then. `is_sent` is
// what the request handler returns.
bool http_pages_send(struct http_pages *pages, struct MHD_Connection *connection,
                     const struct http_route *route, const char *path, const char *name,
                     const struct status_view *view, enum http_status *problem, bool *is_sent);

void http_pages_clear(struct http_pages *pages);
