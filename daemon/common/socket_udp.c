// SPDX-License-Identifier: MIT
// Moves addresses between network byte order and two integers.
#define _GNU_SOURCE // be64toh
#include "socket_udp.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

struct udp_address socket_udp_read(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        return udp_address_v4(ntohl(v4->sin_addr.s_addr), ntohs(v4->sin_port));
    }
    if (address->sa_family != AF_INET6)
        return (struct udp_address){0};
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    uint64_t parts[2];
    memcpy(parts, &v6->sin6_addr, sizeof parts);
    return (struct udp_address){
        .ip = {be64toh(parts[0]), be64toh(parts[1])},
        .scope = v6->sin6_scope_id,
        .port = ntohs(v6->sin6_port),
    };
}

void socket_udp_write(struct udp_address from, int family, union socket_address *address)
{
    if (family == AF_INET) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(from.port);
        address->v4.sin_addr.s_addr = htonl((uint32_t)from.ip.low);
        return;
    }
    const uint64_t parts[] = {htobe64(from.ip.high), htobe64(from.ip.low)};
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(from.port);
    address->v6.sin6_scope_id = from.scope;
    memcpy(&address->v6.sin6_addr, parts, sizeof parts);
}
