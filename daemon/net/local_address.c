// SPDX-License-Identifier: MIT
// Reads and writes the control messages that name the machine's address of a datagram.
#define _GNU_SOURCE // struct in6_pktinfo
#include "local_address.h"

#include <assert.h>
#include <endian.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

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
