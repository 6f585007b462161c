// SPDX-License-Identifier: MIT
// Moves batches of datagrams by recvmmsg and sendmmsg.
#define _GNU_SOURCE
#include "batch.h"

#include <assert.h>

void batch_init(struct batch *batch, int family, bool has_locals)
{
    assert(family == AF_INET || family == AF_INET6);
    batch->family = family;
    batch->has_locals = has_locals;
    batch->next = 0;
    batch->count = 0;
    for (size_t i = 0; i < BATCH_DATAGRAMS; i++) {
        batch->parts[i] = (struct iovec){.iov_base = batch->data[i], .iov_len = BATCH_BYTES};
        batch->addresses[i] = (union socket_address){.any = {.sa_family = (sa_family_t)family}};
        batch->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &batch->addresses[i],
            .msg_namelen = socket_address_size(&batch->addresses[i]),
            .msg_iov = &batch->parts[i],
            .msg_iovlen = 1,
        };
    }
}

bool batch_receive(struct batch *batch, int socket)
{
    for (size_t i = 0; i < BATCH_DATAGRAMS && batch->has_locals; i++) {
        batch->headers[i].msg_hdr.msg_control = &batch->controls[i];
        batch->headers[i].msg_hdr.msg_controllen = sizeof batch->controls[i];
    }
    // With MSG_TRUNC the kernel reports the full length of a datagram that did not fit.
    const int received =
        recvmmsg(socket, batch->headers, BATCH_DATAGRAMS, MSG_DONTWAIT | MSG_TRUNC, NULL);
    batch->next = 0;
    batch->count = received > 0 ? (size_t)received : 0;
    return batch->count == BATCH_DATAGRAMS;
}

struct udp_address batch_sender(struct batch *batch, size_t datagram)
{
    assert(datagram < batch->count);
    struct udp_address from = socket_udp_read(&batch->addresses[datagram].any);
    if (batch->has_locals)
        from.local = local_address_read(&batch->headers[datagram].msg_hdr);
    return from;
}

uint8_t *batch_buffer(struct batch *batch)
{
    assert(batch->count < BATCH_DATAGRAMS);
    return batch->data[batch->count];
}

void batch_add(struct batch *batch, struct udp_address to, size_t size)
{
    assert(batch->count < BATCH_DATAGRAMS && size <= BATCH_BYTES);
    batch->parts[batch->count].iov_len = size;
    socket_udp_write(to, batch->family, &batch->addresses[batch->count]);
    if (batch->has_locals)
        local_address_write(to.local, &batch->controls[batch->count],
                            &batch->headers[batch->count].msg_hdr);
    batch->count++;
}

struct batch_sent batch_send(struct batch *batch, int socket)
{
    struct batch_sent result = {0};
    size_t done = 0;
    while (done < batch->count) {
        const int sent = sendmmsg(socket, &batch->headers[done], (unsigned)(batch->count - done),
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent <= 0) {
            result.errors++;
            done++;
            continue;
        }
        for (size_t end = done + (size_t)sent; done < end; done++) {
            result.packets++;
            result.bytes += batch->headers[done].msg_len;
        }
    }
    batch->count = 0;
    return result;
}
