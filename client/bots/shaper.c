// SPDX-License-Identifier: MIT
// Holds datagrams in a timer wheel until they are due. One wheel holds those of all sockets,
// because a process simulates one network.
#define _GNU_SOURCE // syscall
#include "shaper.h"

#include "random.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_DATAGRAM = 2048,
    MAX_SOCKETS = 8192,
    WHEEL_MS = 16384, // a power of two, beyond the longest delay
};

struct datagram {
    struct datagram *next;
    int socket;
    bool is_outgoing;
    size_t size;
    uint8_t data[];
};

// First in, first out.
struct queue {
    struct datagram *first, *last;
};

// A socket of a link, which is connected to its server.
struct endpoint {
    bool has_sent;
    struct queue in; // arrived
};

static struct {
    bool on;
    struct shaper_def def;
    uint64_t random;
    uint64_t flushed_ms;          // everything due until then has left the wheel
    struct queue wheel[WHEEL_MS]; // by due time in ms modulo WHEEL_MS
    int sockets;                  // one more than the highest socket used
    struct endpoint endpoints[MAX_SOCKETS];
} shaper;

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void shaper_start(const struct shaper_def *def)
{
    shaper.on = true;
    shaper.def = *def;
    shaper.random = def->seed;
    shaper.flushed_ms = now_us() / 1000;
}

static bool takes(int socket)
{
    return shaper.on && socket >= 0 && socket < MAX_SOCKETS;
}

static void append(struct queue *queue, struct datagram *datagram)
{
    datagram->next = NULL;
    if (queue->first == NULL)
        queue->first = datagram;
    else
        queue->last->next = datagram;
    queue->last = datagram;
}

// Takes the first datagram, to be freed by the caller; NULL: there is none.
static struct datagram *take(struct queue *queue)
{
    struct datagram *first = queue->first;
    if (first != NULL)
        queue->first = first->next;
    return first;
}

// Delays a datagram, or drops it at random.
static void delay(int socket, bool is_outgoing, const struct iovec *parts, size_t count)
{
    const struct shaper_def *def = &shaper.def;
    if (raim_random_unit(&shaper.random) < def->loss)
        return;
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += parts[i].iov_len;
    struct datagram *datagram = malloc(sizeof *datagram + size);
    if (datagram == NULL)
        return; // lost
    datagram->socket = socket;
    datagram->is_outgoing = is_outgoing;
    datagram->size = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(datagram->data + datagram->size, parts[i].iov_base, parts[i].iov_len);
        datagram->size += parts[i].iov_len;
    }
    const double delay_s = def->latency_s / 2 + def->jitter_s * raim_random_unit(&shaper.random);
    uint64_t due_ms = (now_us() + (uint64_t)(delay_s * 1e6) + 999) / 1000;
    if (due_ms <= shaper.flushed_ms)
        due_ms = shaper.flushed_ms + 1;
    append(&shaper.wheel[due_ms % WHEEL_MS], datagram);
}

static void deliver(struct datagram *datagram)
{
    if (!datagram->is_outgoing) {
        append(&shaper.endpoints[datagram->socket].in, datagram);
        return;
    }
    // A datagram that the kernel's buffer cannot hold is lost, as on any network.
    (void)send(datagram->socket, datagram->data, datagram->size, MSG_NOSIGNAL | MSG_DONTWAIT);
    free(datagram);
}

// Moves everything that has arrived at a socket into the wheel.
static void receive_all(int socket)
{
    uint8_t data[MAX_DATAGRAM];
    for (;;) {
        const long size =
            syscall(SYS_recvfrom, socket, data, sizeof data, MSG_DONTWAIT, NULL, NULL);
        if (size < 0)
            return;
        const struct iovec part = {data, (size_t)size};
        delay(socket, false, &part, 1);
    }
}

void shaper_flush(void)
{
    if (!shaper.on)
        return;
    for (int socket = 0; socket < shaper.sockets; socket++)
        if (shaper.endpoints[socket].has_sent)
            receive_all(socket);
    const uint64_t now_ms = now_us() / 1000;
    // Everything in the wheel is due when it has turned once.
    if (now_ms - shaper.flushed_ms > WHEEL_MS)
        shaper.flushed_ms = now_ms - WHEEL_MS;
    while (shaper.flushed_ms < now_ms) {
        struct queue *due = &shaper.wheel[++shaper.flushed_ms % WHEEL_MS];
        struct datagram *datagram;
        while ((datagram = take(due)) != NULL)
            deliver(datagram);
    }
}

// Replaces the C library's sendmsg.
ssize_t sendmsg(int socket, const struct msghdr *header, int flags)
{
    if (!takes(socket) || header->msg_name != NULL)
        return syscall(SYS_sendmsg, socket, header, flags);
    size_t size = 0;
    for (size_t i = 0; i < header->msg_iovlen; i++)
        size += header->msg_iov[i].iov_len;
    shaper.sockets = socket >= shaper.sockets ? socket + 1 : shaper.sockets;
    shaper.endpoints[socket].has_sent = true;
    delay(socket, true, header->msg_iov, header->msg_iovlen);
    return (ssize_t)size;
}

// Replaces the C library's recvmsg.
ssize_t recvmsg(int socket, struct msghdr *header, int flags)
{
    if (!takes(socket) || header->msg_name != NULL || header->msg_iovlen != 1)
        return syscall(SYS_recvmsg, socket, header, flags);
    struct datagram *datagram = take(&shaper.endpoints[socket].in);
    if (datagram == NULL) {
        errno = EWOULDBLOCK;
        return -1;
    }
    const size_t room = header->msg_iov[0].iov_len;
    const size_t size = datagram->size < room ? datagram->size : room;
    memcpy(header->msg_iov[0].iov_base, datagram->data, size);
    header->msg_flags = datagram->size > room ? MSG_TRUNC : 0;
    free(datagram);
    return (ssize_t)size;
}
