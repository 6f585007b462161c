// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "transport_fixture.h"

struct kernel kernel = {.fail_at = -1};
struct captured captured[MAX_CAPTURED];
size_t captured_count;

// Exchanges two received datagrams.
static void exchange(struct mmsghdr *a, struct mmsghdr *b)
{
    uint8_t data[RAIM_MAX_DATAGRAM_BYTES];
    struct sockaddr_in from;
    const unsigned size = a->msg_len;
    if (size > sizeof data || b->msg_len > sizeof data)
        return;
    memcpy(data, a->msg_hdr.msg_iov->iov_base, size);
    memcpy(a->msg_hdr.msg_iov->iov_base, b->msg_hdr.msg_iov->iov_base, b->msg_len);
    memcpy(b->msg_hdr.msg_iov->iov_base, data, size);
    memcpy(&from, a->msg_hdr.msg_name, sizeof from);
    memcpy(a->msg_hdr.msg_name, b->msg_hdr.msg_name, sizeof from);
    memcpy(b->msg_hdr.msg_name, &from, sizeof from);
    a->msg_len = b->msg_len;
    b->msg_len = size;
}

int recvmmsg(int socket, struct mmsghdr *headers, unsigned count, int flags,
             struct timespec *timeout)
{
    kernel.receives++;
    const int received =
        (int)syscall(SYS_recvmmsg, socket, headers, count, (unsigned)flags, timeout);
    for (int i = 0; i < received && kernel.sender != NULL; i++)
        inet_pton(AF_INET, kernel.sender,
                  &((struct sockaddr_in *)headers[i].msg_hdr.msg_name)->sin_addr);
    for (int i = 0; i < received && kernel.translate != NULL; i++)
        kernel.translate(headers[i].msg_hdr.msg_name, true);
    for (int i = 1; i < received && kernel.is_shuffled; i++)
        exchange(&headers[i], &headers[chance_int(i > 16 ? i - 16 : 0, i)]);
    // A lost datagram is replaced by a meaningless byte.
    for (int i = 0; i < received && kernel.loss > 0; i++)
        if (chance_int(0, 99) < kernel.loss)
            headers[i].msg_len = 1;
    for (int i = 0; i < received && captured_count < MAX_CAPTURED; i++) {
        if (headers[i].msg_len > RAIM_MAX_DATAGRAM_BYTES)
            continue;
        captured[captured_count].size = headers[i].msg_len;
        memcpy(captured[captured_count].data, headers[i].msg_hdr.msg_iov->iov_base,
               headers[i].msg_len);
        captured_count++;
    }
    return received;
}

int sendmmsg(int socket, struct mmsghdr *headers, unsigned count, int flags)
{
    kernel.sends++;
    if (kernel.fail_at == 0) {
        kernel.fail_at = -1;
        errno = EPERM;
        return -1;
    }
    if (kernel.fail_at > 0 && (unsigned)kernel.fail_at < count)
        count = (unsigned)kernel.fail_at;
    // Receives one datagram at a time, which may be lost.
    if (kernel.loss > 0)
        count = 1;
    if (chance_int(0, 99) < kernel.loss) {
        headers[0].msg_len = (unsigned)headers[0].msg_hdr.msg_iov->iov_len;
        return 1;
    }
    for (unsigned i = 0; i < count && kernel.sender != NULL; i++)
        ((struct sockaddr_in *)headers[i].msg_hdr.msg_name)->sin_addr.s_addr =
            htonl(INADDR_LOOPBACK);
    for (unsigned i = 0; i < count && kernel.translate != NULL; i++)
        kernel.translate(headers[i].msg_hdr.msg_name, false);
    const int sent = (int)syscall(SYS_sendmmsg, socket, headers, count, (unsigned)flags);
    kernel.fail_at -= kernel.fail_at > 0 ? sent : 0;
    for (int i = 0; i < sent; i++)
        if (headers[i].msg_len > kernel.largest_sent)
            kernel.largest_sent = headers[i].msg_len;
    return sent;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_MONOTONIC && kernel.stopped_ms != 0)
        *now = (struct timespec){.tv_sec = kernel.stopped_ms / 1000,
                                 .tv_nsec = kernel.stopped_ms % 1000 * 1000000};
    const int64_t added = clock == CLOCK_MONOTONIC ? kernel.monotonic_ms : 0;
    now->tv_sec += added / 1000;
    now->tv_nsec += added % 1000 * 1000000;
    if (now->tv_nsec >= 1000000000) {
        now->tv_sec++;
        now->tv_nsec -= 1000000000;
    }
    return status;
}

// The clock that libenet reads: here the monotonic one, for the clients too, until it is set.
int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec precise;
    clock_gettime(CLOCK_MONOTONIC, &precise);
    *now = (struct timeval){.tv_sec = precise.tv_sec + kernel.wall_ms / 1000,
                            .tv_usec = precise.tv_nsec / 1000};
    return 0;
}
