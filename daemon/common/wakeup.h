// SPDX-License-Identifier: MIT
// Wakes a thread that waits in poll or epoll, by an eventfd that any thread may signal.
#pragma once

#include <stdbool.h>

struct wakeup {
    int descriptor; // readable from wakeup_signal to wakeup_clear; -1: closed
};

// Creates the eventfd. False with errno.
bool wakeup_open(struct wakeup *wakeup);

// Also accepts a wakeup that failed to open.
void wakeup_close(struct wakeup *wakeup);

// Makes the descriptor readable. Never blocks. Any thread.
void wakeup_signal(const struct wakeup *wakeup);

// Makes the descriptor unreadable; true if it was signalled. The waiting thread calls it before it
// checks for work, so that work added later wakes it again.
bool wakeup_clear(const struct wakeup *wakeup);
