// SPDX-License-Identifier: MIT
// Change notification: functions that are called, in the order of registration, when a value
// changes. A watcher that does more than set a flag defers its work (loop.h). Single-threaded.
#pragma once

// Owned by who watches. Not copied while it is in a list.
struct watcher {
    void (*run)(void *context);
    void *context;
    struct watcher *next;
};

// All zero: nobody watches.
struct watchers {
    struct watcher *first;
};

void watchers_add(struct watchers *watchers, struct watcher *watcher);

// Does nothing if it was not added. Not while they are called.
void watchers_remove(struct watchers *watchers, struct watcher *watcher);

void watchers_call(const struct watchers *watchers);
