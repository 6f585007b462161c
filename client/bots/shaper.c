// SPDX-License-Identifier: MIT
// Queues datagrams until they are due.
#define _GNU_SOURCE // syscall
#include "shaper.h"

#include "random.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DATAGRAM = 2048, MAX_SOCKETS = 8192 };

// A delayed datagram. A queue is sorted by due time.
struct waiting {
    struct waiting *next;
    double due_s;
    struct sockaddr_in address; // to or from
    size_t size;
    uint8_t data[];
};

static struct {
    bool on;
    struct shaper_def def;
    uint64_t random;
    int sockets; // one more than the highest socket used
    struct waiting *out[MAX_SOCKETS], *in[MAX_SOCKETS];
} shaper;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void shaper_start(const struct shaper_def *def)
{
    shaper.on = true;
    shaper.def = *def;
    shaper.random = def->seed;
}

static bool takes(int socket)
{
    return shaper.on && socket >= 0 && socket < MAX_SOCKETS;
}

// Queues a datagram, or drops it at random.
static void put(struct waiting **queue, const struct sockaddr_in *address,
                const struct iovec *parts, size_t count)
{
    const struct shaper_def *def = &shaper.def;
    if (raim_random_unit(&shaper.random) < def->loss)
        return;
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += parts[i].iov_len;
    struct waiting *waiting = malloc(sizeof *waiting + size);
    if (waiting == NULL)
        return; // lost
    waiting->due_s =
        now_s() + def->latency_s / 2 + def->jitter_s * raim_random_unit(&shaper.random);
    waiting->address = *address;
    waiting->size = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(waiting->data + waiting->size, parts[i].iov_base, parts[i].iov_len);
        waiting->size += parts[i].iov_len;
    }
    while (*queue != NULL && (*queue)->due_s <= waiting->due_s)
        queue = &(*queue)->next;
    waiting->next = *queue;
    *queue = waiting;
}

// Takes the next due datagram from its queue, to be freed by the caller; NULL: none is due.
static struct waiting *take(struct waiting **queue, double now)
{
    struct waiting *first = *queue;
    if (first == NULL || first->due_s > now)
        return NULL;
    *queue = first->next;
    return first;
}

void shaper_flush(void)
{
    const double now = now_s();
    for (int socket = 0; socket < shaper.sockets; socket++) {
        struct waiting *waiting;
        while ((waiting = take(&shaper.out[socket], now)) != NULL) {
            struct iovec part = {waiting->data, waiting->size};
            const struct msghdr header = {
                .msg_name = &waiting->address,
                .msg_namelen = sizeof waiting->address,
                .msg_iov = &part,
                .msg_iovlen = 1,
            };
            // A datagram that the kernel's buffer cannot hold is lost, as on any network.
            (void)syscall(SYS_sendmsg, socket, &header, MSG_NOSIGNAL);
            free(waiting);
        }
    }
}

// Replaces the C library's sendmsg.
ssize_t sendmsg(int socket, const struct msghdr *header, int flags)
{
    if (!takes(socket) || header->msg_namelen != sizeof(struct sockaddr_in))
        return syscall(SYS_sendmsg, socket, header, flags);
    size_t size = 0;
    for (size_t i = 0; i < header->msg_iovlen; i++)
        size += header->msg_iov[i].iov_len;
    shaper.sockets = socket >= shaper.sockets ? socket + 1 : shaper.sockets;
    put(&shaper.out[socket], header->msg_name, header->msg_iov, header->msg_iovlen);
    return (ssize_t)size;
}

// Moves everything that has arrived at a socket into its queue.
static void receive_all(int socket)
{
    uint8_t data[MAX_DATAGRAM];
    for (;;) {
        struct sockaddr_in from;
        struct iovec part = {data, sizeof data};
        struct msghdr header = {
            .msg_name = &from,
            .msg_namelen = sizeof from,
            .msg_iov = &part,
            .msg_iovlen = 1,
        };
        const long size = syscall(SYS_recvmsg, socket, &header, MSG_DONTWAIT);
        if (size < 0)
            return;
        part.iov_len = (size_t)size;
        put(&shaper.in[socket], &from, &part, 1);
    }
}

// Replaces the C library's recvmsg.
ssize_t recvmsg(int socket, struct msghdr *header, int flags)
{
    if (!takes(socket) || header->msg_namelen < sizeof(struct sockaddr_in) ||
        header->msg_iovlen != 1)
        return syscall(SYS_recvmsg, socket, header, flags);
    receive_all(socket);
    struct waiting *waiting = take(&shaper.in[socket], now_s());
    if (waiting == NULL) {
        errno = EWOULDBLOCK;
        return -1;
    }
    const size_t room = header->msg_iov[0].iov_len;
    const size_t size = waiting->size < room ? waiting->size : room;
    memcpy(header->msg_iov[0].iov_base, waiting->data, size);
    memcpy(header->msg_name, &waiting->address, sizeof waiting->address);
    header->msg_namelen = sizeof waiting->address;
    header->msg_flags = waiting->size > room ? MSG_TRUNC : 0;
    free(waiting);
    return (ssize_t)size;
}
