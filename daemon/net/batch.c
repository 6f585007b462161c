// SPDX-License-Identifier: MIT
// Moves batches of datagrams by recvmmsg and sendmmsg.
#define _GNU_SOURCE
#define _GNU_SOURCE // struct in6_pktinfo
#include "batch.h"

#include <assert.h>
#include <endian.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

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

static_assert(sizeof(struct local_control) >= CMSG_SPACE(sizeof(struct in6_pktinfo)),
              "a control message");

bool local_address_enable(int socket)
{
    const int on = 1;
    // Datagrams of a whole network may arrive (a local route, "AnyIP"), whose addresses are no
    // interface's.
    setsockopt(socket, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on);
    return setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) == 0;
}

struct ip_address local_address_read(struct msghdr *received)
{
    const struct cmsghdr *item = CMSG_FIRSTHDR(received);
    struct in6_pktinfo info;
    if (item == NULL || item->cmsg_level != IPPROTO_IPV6 || item->cmsg_type != IPV6_PKTINFO ||
        item->cmsg_len < CMSG_LEN(sizeof info))
        return (struct ip_address){0};
    memcpy(&info, CMSG_DATA(item), sizeof info);
    if (IN6_IS_ADDR_MULTICAST(&info.ipi6_addr))
        return (struct ip_address){0};
    uint64_t parts[2];
    memcpy(parts, &info.ipi6_addr, sizeof parts);
    return (struct ip_address){be64toh(parts[0]), be64toh(parts[1])};
}

void local_address_write(struct ip_address local, struct local_control *control,
                         struct msghdr *sent)
{
    sent->msg_control = NULL;
    sent->msg_controllen = 0;
    if (ip_address_is_none(local))
        return;
    const uint64_t parts[] = {htobe64(local.high), htobe64(local.low)};
    struct in6_pktinfo info = {0};
    memcpy(&info.ipi6_addr, parts, sizeof info.ipi6_addr);
    sent->msg_control = control;
    sent->msg_controllen = CMSG_SPACE(sizeof info);
    memset(control, 0, sizeof *control);
    struct cmsghdr *item = CMSG_FIRSTHDR(sent);
    *item = (struct cmsghdr){
        .cmsg_level = IPPROTO_IPV6, .cmsg_type = IPV6_PKTINFO, .cmsg_len = CMSG_LEN(sizeof info)};
    memcpy(CMSG_DATA(item), &info, sizeof info);
}
