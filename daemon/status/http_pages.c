// SPDX-License-Identifier: MIT
// Cache of rendered pages.
#include "http_pages.h"

#include "monotonic.h"

#include <assert.h>
#include <string.h>

enum {
    FRESH_US = 100000, // a page is reused for so long,
    COST_SHARE = 20,   // and for so many times what it has cost,
    STALE_US = 1000000 // up to this: the thread may have waited for a processor meanwhile
};

// The slot of a path, or a free one, or the one with the oldest page.
static struct http_page *find_slot(struct http_pages *pages, const char *path)
{
    struct http_page *oldest = &pages->slots[0];
    for (size_t i = 0; i < HTTP_PAGES; i++) {
        struct http_page *page = &pages->slots[i];
        if (page->document.plain == NULL || strcmp(page->path, path) == 0)
            return page;
        if (page->rendered_us < oldest->rendered_us)
            oldest = page;
    }
    return oldest;
}

static bool is_fresh(const struct http_page *page, const char *path, uint64_t now_us)
{
    const uint64_t age_us = now_us - page->rendered_us;
    return page->document.plain != NULL && strcmp(page->path, path) == 0 &&
           (age_us < FRESH_US || (age_us < COST_SHARE * page->cost_us && age_us < STALE_US));
}

static bool render(struct http_page *page, const struct http_route *route, const char *path,
                   const char *name, const struct status_view *view, enum http_status *problem)
{
    const struct http_rendering rendering = route->render(view, name, monotonic_ms());
    struct http_document document = {0};
    *problem = rendering.status == HTTP_NOT_FOUND ? HTTP_NOT_FOUND : HTTP_UNAVAILABLE;
    if (rendering.status == HTTP_NOT_FOUND ||
        !http_document_take(&document, route->type, rendering.text))
        return false;
    http_document_clear(&page->document);
    *page = (struct http_page){.document = document, .status = rendering.status};
    strcpy(page->path, path);
    return true;
}

bool http_pages_send(struct http_pages *pages, struct MHD_Connection *connection,
                     const struct http_route *route, const char *path, const char *name,
                     const struct status_view *view, enum http_status *problem, bool *is_sent)
{
    assert(strlen(path) < HTTP_PATH_BYTES);
    struct http_page *page = find_slot(pages, path);
    const uint64_t begin_us = monotonic_us();
    if (!is_fresh(page, path, begin_us)) {
        if (!render(page, route, path, name, view, problem))
            return false;
        page->rendered_us = begin_us;
    }
    const bool was_packed = page->document.is_packing_tried;
    *is_sent = http_document_send(&page->document, connection, page->status);
    if (page->rendered_us == begin_us || page->document.is_packing_tried != was_packed)
        page->cost_us += monotonic_us() - begin_us;
    return true;
}

void http_pages_clear(struct http_pages *pages)
{
    for (size_t i = 0; i < HTTP_PAGES; i++)
        http_document_clear(&pages->slots[i].document);
    *pages = (struct http_pages){0};
}
