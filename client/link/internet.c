// SPDX-License-Identifier: MIT
// Converts addresses, and resolves names by getaddrinfo.
#ifdef _WIN32
#define _WIN32_WINNT 0x0601
#else
#define _POSIX_C_SOURCE 200809L // getaddrinfo
#endif
#include "internet.h"

#include <stdio.h>
#include <string.h>

bool raim_internet_read(const struct sockaddr *from, struct raim_address *address)
{
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    *address = (struct raim_address){.is_ipv6 = from->sa_family == AF_INET6};
    if (from->sa_family == AF_INET) {
        memcpy(&ipv4, from, sizeof ipv4);
        memcpy(address->bytes, &ipv4.sin_addr, sizeof ipv4.sin_addr);
        address->port = ntohs(ipv4.sin_port);
        return true;
    }
    if (from->sa_family != AF_INET6)
        return false;
    memcpy(&ipv6, from, sizeof ipv6);
    memcpy(address->bytes, &ipv6.sin6_addr, sizeof ipv6.sin6_addr);
    address->scope = ipv6.sin6_scope_id;
    address->port = ntohs(ipv6.sin6_port);
    return true;
}

uint32_t raim_internet_resolve(const char *host, uint16_t port, bool is_numeric,
                               struct raim_address *addresses, uint32_t capacity)
{
    const struct addrinfo hints = {
        .ai_flags = AI_NUMERICSERV | (is_numeric ? AI_NUMERICHOST : 0),
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_DGRAM,
    };
    struct addrinfo *found = NULL;
    char service[8];
    uint32_t count = 0;
    snprintf(service, sizeof service, "%u", (unsigned)port);
    if (getaddrinfo(host, service, &hints, &found) != 0)
        return 0;
    for (const struct addrinfo *one = found; one != NULL && count < capacity; one = one->ai_next)
        count += raim_internet_read(one->ai_addr, &addresses[count]);
    freeaddrinfo(found);
    return count;
}

int raim_internet_write(const struct raim_address *address, struct sockaddr_storage *to)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(address->port)};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(address->port)};
    ipv6.sin6_scope_id = address->scope;
    memcpy(&ipv4.sin_addr, address->bytes, sizeof ipv4.sin_addr);
    memcpy(&ipv6.sin6_addr, address->bytes, sizeof ipv6.sin6_addr);
    if (address->is_ipv6) {
        memcpy(to, &ipv6, sizeof ipv6);
        return sizeof ipv6;
    }
    memcpy(to, &ipv4, sizeof ipv4);
    return sizeof ipv4;
}
