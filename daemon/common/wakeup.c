// SPDX-License-Identifier: MIT
// Signals and clears an eventfd(2).
#include "wakeup.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool wakeup_open(struct wakeup *wakeup)
{
    wakeup->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wakeup->descriptor >= 0;
}

void wakeup_close(struct wakeup *wakeup)
{
    if (wakeup->descriptor >= 0)
        close(wakeup->descriptor);
    wakeup->descriptor = -1;
}

void wakeup_signal(const struct wakeup *wakeup)
{
    const uint64_t one = 1;
    const ssize_t written = write(wakeup->descriptor, &one, sizeof one);
    assert(written == sizeof one || errno == EAGAIN); // EAGAIN: the counter is at its maximum
    (void)written;
}

bool wakeup_clear(const struct wakeup *wakeup)
{
    uint64_t count;
    return read(wakeup->descriptor, &count, sizeof count) == sizeof count;
}
