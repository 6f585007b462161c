// SPDX-License-Identifier: MIT
// Moves batches of datagrams by recvmmsg and sendmmsg.
#define _GNU_SOURCE
#include "batch.h"

#include <assert.h>

void batch_init(struct batch *batch)
{
    batch->next = 0;
    batch->count = 0;
    for (size_t i = 0; i < BATCH_DATAGRAMS; i++) {
        batch->parts[i] = (struct iovec){.iov_base = batch->data[i], .iov_len = BATCH_BYTES};
        batch->addresses[i].sin_family = AF_INET;
        batch->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &batch->addresses[i],
            .msg_namelen = sizeof batch->addresses[i],
            .msg_iov = &batch->parts[i],
            .msg_iovlen = 1,
        };
    }
}

bool batch_receive(struct batch *batch, int socket)
{
    // With MSG_TRUNC the kernel reports the full length of a datagram that did not fit.
    const int received =
        recvmmsg(socket, batch->headers, BATCH_DATAGRAMS, MSG_DONTWAIT | MSG_TRUNC, NULL);
    batch->next = 0;
    batch->count = received > 0 ? (size_t)received : 0;
    return batch->count == BATCH_DATAGRAMS;
}

uint8_t *batch_buffer(struct batch *batch)
{
    assert(batch->count < BATCH_DATAGRAMS);
    return batch->data[batch->count];
}

void batch_add(struct batch *batch, uint32_t address, uint16_t port, size_t size)
{
    assert(batch->count < BATCH_DATAGRAMS && size <= BATCH_BYTES);
    batch->parts[batch->count].iov_len = size;
    batch->addresses[batch->count].sin_addr.s_addr = address;
    batch->addresses[batch->count].sin_port = port;
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
