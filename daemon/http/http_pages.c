// SPDX-License-Identifier: MIT
// Cache of rendered pages.
#include "http_pages.h"

#include "monotonic.h"

#include <assert.h>
#include <string.h>

#define RENDER_INTERVAL_MS 100U

// The slot of a path, or a free one, or the one with the oldest page.
static struct http_page *find_slot(struct http_pages *pages, const char *path)
{
    struct http_page *oldest = &pages->slots[0];
    for (size_t i = 0; i < HTTP_PAGES; i++) {
        struct http_page *page = &pages->slots[i];
        if (page->response == NULL || strcmp(page->path, path) == 0)
            return page;
        if (page->rendered_ms < oldest->rendered_ms)
            oldest = page;
    }
    return oldest;
}

const struct http_page *http_pages_get(struct http_pages *pages, const struct http_route *route,
                                       const char *path, const char *name,
                                       const struct arena_list *list, enum http_status *problem)
{
    assert(strlen(path) < HTTP_PATH_BYTES);
    struct http_page *page = find_slot(pages, path);
    const uint64_t now_ms = monotonic_ms();
    if (page->response != NULL && strcmp(page->path, path) == 0 &&
        now_ms - page->rendered_ms < RENDER_INTERVAL_MS)
        return page;
    const struct http_rendering rendering = route->render(list, name, now_ms);
    *problem = rendering.status == HTTP_NOT_FOUND ? HTTP_NOT_FOUND : HTTP_UNAVAILABLE;
    if (rendering.status == HTTP_NOT_FOUND)
        return NULL;
    struct MHD_Response *response = http_answer_text(route->type, rendering.text);
    if (response == NULL)
        return NULL;
    http_answer_release(page->response);
    *page =
        (struct http_page){.response = response, .status = rendering.status, .rendered_ms = now_ms};
    strcpy(page->path, path);
    return page;
}

void http_pages_clear(struct http_pages *pages)
{
    for (size_t i = 0; i < HTTP_PAGES; i++)
        http_answer_release(pages->slots[i].response);
    *pages = (struct http_pages){0};
}
