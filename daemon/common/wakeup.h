// SPDX-License-Identifier: MIT
// Wakes a thread that waits in poll or epoll: an eventfd that any thread may signal.
#pragma once

#include <stdbool.h>

struct wakeup {
    int descriptor; // readable from wakeup_signal to wakeup_clear; -1: closed
};

// False with errno set.
bool wakeup_open(struct wakeup *wakeup);

// Takes one that could not be opened, too.
void wakeup_close(struct wakeup *wakeup);

// Never waits. Any thread.
void wakeup_signal(const struct wakeup *wakeup);

// Makes the descriptor unreadable. The thread that waits calls it before it looks for what was
// done, so that whatever is done later wakes it again. True when it was signalled.
bool wakeup_clear(const struct wakeup *wakeup);
