// SPDX-License-Identifier: MIT
// Walks the interfaces of the machine.
#define _GNU_SOURCE
#include "local_network.h"

#include "discovery.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

static bool is_one_of_ours(const struct ifaddrs *one, int family)
{
    return one->ifa_addr != NULL && one->ifa_addr->sa_family == family;
}

static const uint8_t *bytes_of(const struct sockaddr *address)
{
    return address->sa_family == AF_INET
               ? (const uint8_t *)&((const struct sockaddr_in *)(const void *)address)->sin_addr
               : (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
}

void local_network_refresh(struct local_network *network)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0)
        return;
    network->count = 0;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        const bool is_ipv6 = is_one_of_ours(one, AF_INET6);
        if ((!is_ipv6 && !is_one_of_ours(one, AF_INET)) || one->ifa_netmask == NULL ||
            network->count == LOCAL_NETWORK_MOST)
            continue;
        struct local_network_address *address = &network->addresses[network->count++];
        *address = (struct local_network_address){.is_ipv6 = is_ipv6};
        memcpy(address->own, bytes_of(one->ifa_addr), is_ipv6 ? 16 : 4);
        memcpy(address->mask, bytes_of(one->ifa_netmask), is_ipv6 ? 16 : 4);
    }
    freeifaddrs(all);
}

void local_network_prepare(int socket, int family)
{
    const int yes = 1, hops = RAIM_DISCOVERY_HOPS;
    if (family == AF_INET) {
        setsockopt(socket, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
        setsockopt(socket, IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    } else {
        setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
        setsockopt(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops);
    }
}

// What the kernel refuses is as what was lost.
void local_network_broadcast(int socket, uint16_t port, const uint8_t *data, size_t size)
{
    struct ifaddrs *all = NULL;
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_BROADCAST)};
    if (socket < 0)
        return;
    (void)sendto(socket, data, size, 0, (const struct sockaddr *)&to, sizeof to);
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        if (!is_one_of_ours(one, AF_INET) || (one->ifa_flags & IFF_BROADCAST) == 0 ||
            one->ifa_broadaddr == NULL)
            continue;
        memcpy(&to.sin_addr, bytes_of(one->ifa_broadaddr), sizeof to.sin_addr);
        (void)sendto(socket, data, size, 0, (const struct sockaddr *)&to, sizeof to);
    }
    freeifaddrs(all);
}

void local_network_multicast(int socket, const uint8_t *data, size_t size)
{
    struct ifaddrs *all = NULL;
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(RAIM_DISCOVERY_PORT)};
    inet_pton(AF_INET6, RAIM_DISCOVERY_GROUP, &to.sin6_addr);
    if (socket < 0 || getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        if (!is_one_of_ours(one, AF_INET6) || (one->ifa_flags & IFF_MULTICAST) == 0)
            continue;
        to.sin6_scope_id = if_nametoindex(one->ifa_name);
        (void)sendto(socket, data, size, 0, (const struct sockaddr *)&to, sizeof to);
    }
    freeifaddrs(all);
}

enum local_network_place local_network_place_of(const struct local_network *network,
                                                const struct sockaddr_storage *from)
{
    const bool is_ipv6 = from->ss_family == AF_INET6;
    const uint8_t *address = bytes_of((const struct sockaddr *)from);
    const size_t bytes = is_ipv6 ? 16 : 4;
    bool is_near = false;
    for (int i = 0; i < network->count; i++) {
        const struct local_network_address *own = &network->addresses[i];
        bool is_within = own->is_ipv6 == is_ipv6;
        if (!is_within)
            continue;
        if (memcmp(own->own, address, bytes) == 0)
            return LOCAL_NETWORK_OWN;
        for (size_t j = 0; j < bytes; j++)
            is_within = is_within && ((own->own[j] ^ address[j]) & own->mask[j]) == 0;
        is_near = is_near || is_within;
    }
    return is_near ? LOCAL_NETWORK_NEIGHBOUR : LOCAL_NETWORK_BEYOND;
}
