// SPDX-License-Identifier: MIT
// Reads and writes the control messages that name the machine's address of a datagram.
#define _GNU_SOURCE // struct in6_pktinfo
#include "local_addresses.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static_assert(sizeof(struct local_control) >= CMSG_SPACE(sizeof(struct in6_pktinfo)),
              "a control message");

bool local_addresses_enable(int socket)
{
    const int on = 1;
    // Datagrams of a whole network may arrive (a local route, "AnyIP"), whose addresses are no
    // interface's.
    setsockopt(socket, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on);
    return setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) == 0;
}

// Frees the places of the addresses at which nothing has arrived since the last time. No peer has
// them: it would have been lost long before. A free place holds ::, at which nothing arrives.
static void sweep(struct local_addresses *addresses)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - addresses->swept_s < LOCAL_ADDRESSES_IDLE_S)
        return;
    addresses->swept_s = now.tv_sec;
    for (uint8_t i = 0; i < addresses->count; i++) {
        if (!addresses->is_used[i])
            addresses->list[i] = in6addr_any;
        addresses->is_used[i] = false;
    }
}

// The index of a place for another address; LOCAL_ADDRESSES_MAX: there is none.
static uint8_t place_of(struct local_addresses *addresses)
{
    if (addresses->count < LOCAL_ADDRESSES_MAX)
        return addresses->count++;
    sweep(addresses);
    uint8_t place = 0;
    while (place < LOCAL_ADDRESSES_MAX && !IN6_IS_ADDR_UNSPECIFIED(&addresses->list[place]))
        place++;
    return place;
}

uint8_t local_addresses_find(struct local_addresses *addresses, struct msghdr *received)
{
    const struct cmsghdr *item = CMSG_FIRSTHDR(received);
    struct in6_pktinfo info;
    if (item == NULL || item->cmsg_level != IPPROTO_IPV6 || item->cmsg_type != IPV6_PKTINFO ||
        item->cmsg_len < CMSG_LEN(sizeof info))
        return 0;
    memcpy(&info, CMSG_DATA(item), sizeof info);
    for (uint8_t i = 0; i < addresses->count; i++)
        if (IN6_ARE_ADDR_EQUAL(&addresses->list[i], &info.ipi6_addr)) {
            addresses->is_used[i] = true;
            return (uint8_t)(i + 1);
        }
    if (IN6_IS_ADDR_MULTICAST(&info.ipi6_addr) || IN6_IS_ADDR_UNSPECIFIED(&info.ipi6_addr))
        return 0;
    const uint8_t place = place_of(addresses);
    if (place == LOCAL_ADDRESSES_MAX)
        return 0;
    addresses->list[place] = info.ipi6_addr;
    addresses->is_used[place] = true;
    return (uint8_t)(place + 1);
}

void local_addresses_write(const struct local_addresses *addresses, uint8_t number,
                           struct local_control *control, struct msghdr *sent)
{
    sent->msg_control = NULL;
    sent->msg_controllen = 0;
    if (number == 0)
        return;
    assert(number <= addresses->count);
    const struct in6_pktinfo info = {.ipi6_addr = addresses->list[number - 1]};
    sent->msg_control = control;
    sent->msg_controllen = CMSG_SPACE(sizeof info);
    memset(control, 0, sizeof *control);
    struct cmsghdr *item = CMSG_FIRSTHDR(sent);
    *item = (struct cmsghdr){
        .cmsg_level = IPPROTO_IPV6, .cmsg_type = IPV6_PKTINFO, .cmsg_len = CMSG_LEN(sizeof info)};
    memcpy(CMSG_DATA(item), &info, sizeof info);
}
