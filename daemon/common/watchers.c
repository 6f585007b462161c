// SPDX-License-Identifier: MIT
// A list of functions.
#include "watchers.h"

#include <stddef.h>

void watchers_add(struct watchers *watchers, struct watcher *watcher)
{
    struct watcher **end = &watchers->first;
    while (*end != NULL)
        end = &(*end)->next;
    watcher->next = NULL;
    *end = watcher;
}

void watchers_remove(struct watchers *watchers, struct watcher *watcher)
{
    struct watcher **link = &watchers->first;
    while (*link != NULL && *link != watcher)
        link = &(*link)->next;
    if (*link != NULL)
        *link = watcher->next;
}

void watchers_call(const struct watchers *watchers)
{
    for (struct watcher *watcher = watchers->first; watcher != NULL; watcher = watcher->next)
        watcher->run(watcher->context);
}
