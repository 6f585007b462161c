// SPDX-License-Identifier: MIT
// A library to preload into a daemon: steps its clocks, rejects what it sends, and crashes it in
// the tick of an arena that was restored, as the page says. The kernel's boot_id is what stands in
// the file that FAULT_BOOT_ID names.
#define _GNU_SOURCE
#include "connectionless.h"
#include "page.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

// --- Clocks ---

static int64_t step_s(void)
{
    const int64_t step = atomic_load(&page->clock_step_s);
    if (step != 0)
        atomic_fetch_add(&page->clocks_stepped, 1);
    return step;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*next)(clockid_t, struct timespec *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    const int result = next(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += step_s();
    if (result == 0 && clock == CLOCK_BOOTTIME)
        now->tv_sec += atomic_load(&page->boot_step_s);
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    const int result = clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
    return result;
}

time_t time(time_t *seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds != NULL)
        *seconds = now.tv_sec;
    return now.tv_sec;
}

int open(const char *path, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    const char *boot_id = getenv("FAULT_BOOT_ID");
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "open");
    if (boot_id != NULL && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        path = boot_id;
    return next(path, flags, mode);
}

// --- Sending ---

static bool is_invite(const struct msghdr *message)
{
    const uint8_t *bytes = message->msg_iov->iov_base;
    return message->msg_iov->iov_len == RAIM_INVITE_BYTES && memcmp(bytes + 4, "RAIM", 4) == 0 &&
           bytes[8] == RAIM_CONNECTIONLESS_INVITE;
}

// Only an arena that was restored sends invitations, from its first tick on.
static void die_where_deadly(int socket, const struct mmsghdr *messages, unsigned count)
{
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    const uint64_t deadly = atomic_load(&page->deadly_port);
    if (deadly == 0 || getsockname(socket, (struct sockaddr *)&own, &size) != 0 ||
        ntohs(own.sin_port) != deadly)
        return;
    for (unsigned i = 0; i < count; i++)
        if (is_invite(&messages[i].msg_hdr))
            abort();
}

int sendmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags)
{
    static int (*next)(int, struct mmsghdr *, unsigned, int);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "sendmmsg");
    die_where_deadly(socket, messages, count);
    const int64_t rejection = atomic_load(&page->send_errno);
    if (rejection == 0)
        return next(socket, messages, count, flags);
    atomic_fetch_add(&page->sends_rejected, 1);
    errno = (int)rejection;
    return -1;
}
