// SPDX-License-Identifier: MIT
// Two sockets on the discovery port, the hop limit of each request, and the rates of answers.
#define _GNU_SOURCE // struct in6_pktinfo's neighbours: IPV6_RECVHOPLIMIT
#include "lan_discovery.h"

#include "discovery.h"
#include "log.h"
#include "loop.h"
#include "monotonic.h"
#include "rate_limit.h"
#include "socket_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SOCKETS = 2,        // IPv4, IPv6
    MAX_DATAGRAMS = 16, // read at once; then the sockets rest, so that a flood costs little
    REST_MS = 20,
    BUFFER_BYTES = 64 * 1024, // of a socket: a flood is lost here
    DATAGRAM_BYTES = 1500,
};

// Answers: a client asks every three seconds, by both families.
#define PER_ADDRESS ((struct rate){.interval = 250, .burst = 8})
#define OF_ALL ((struct rate){.interval = 10, .burst = 50})

struct lan_discovery {
    struct lan_arenas arenas;
    int sockets[SOCKETS]; // -1: none
    struct loop_source *requests[SOCKETS], *rest;
    uint64_t server;
    struct rate_limit limit;
    struct {
        bool is_on;
        uint64_t answered;
        uint64_t limited;  // beyond the rate
        uint64_t rejected; // from beyond a router, or malformed
    } counts;              // since the start
};

#define COUNTS(member) METRIC_OF(struct lan_discovery, counts.member)

static const struct metric count_rows[] = {
    {"on", NULL, "Whether requests are answered.", METRIC_FLAG, COUNTS(is_on)},
    {"answered", NULL, "Requests that were answered.", METRIC_COUNTER, COUNTS(answered)},
    {"limited", NULL, "Requests that were dropped by the rate limit.", METRIC_COUNTER,
     COUNTS(limited)},
    {"rejected", NULL, "Datagrams that were malformed or from beyond a router.", METRIC_COUNTER,
     COUNTS(rejected)},
};

const struct metric_table lan_discovery_metrics = {
    .group = "lan_discovery",
    .meaning = "Discovery in the local network, since the start.",
    METRIC_ROWS(count_rows)};

// --- Sockets ---

static bool set(int socket, int level, int option, int value)
{
    return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

// SO_REUSEADDR shares the port among daemons: each gets its copy of a broadcast.
static bool prepare(int socket, int family)
{
    set(socket, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES);
    if (!set(socket, SOL_SOCKET, SO_REUSEADDR, 1))
        return false;
    if (family == AF_INET)
        return set(socket, IPPROTO_IP, IP_RECVTTL, 1) &&
               set(socket, IPPROTO_IP, IP_TTL, RAIM_DISCOVERY_HOPS);
    return set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1) &&
           set(socket, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1) &&
           set(socket, IPPROTO_IPV6, IPV6_UNICAST_HOPS, RAIM_DISCOVERY_HOPS);
}

// Returns -1 with errno.
static int open_socket(int family)
{
    union socket_address any = {.any = {.sa_family = (sa_family_t)family}};
    const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    if (family == AF_INET)
        any.v4.sin_port = htons(RAIM_DISCOVERY_PORT);
    else
        any.v6.sin6_port = htons(RAIM_DISCOVERY_PORT);
    if (prepare(descriptor, family) && bind(descriptor, &any.any, socket_address_size(&any)) == 0)
        return descriptor;
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

static void join_groups(int socket)
{
    struct ifaddrs *all = NULL;
    struct ipv6_mreq group = {0};
    inet_pton(AF_INET6, RAIM_DISCOVERY_GROUP, &group.ipv6mr_multiaddr);
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        if (one->ifa_addr == NULL || one->ifa_addr->sa_family != AF_INET6 ||
            (one->ifa_flags & IFF_MULTICAST) == 0)
            continue;
        group.ipv6mr_interface = if_nametoindex(one->ifa_name);
        // Fails where the interface has several addresses, after the first.
        (void)setsockopt(socket, IPPROTO_IPV6, IPV6_JOIN_GROUP, &group, sizeof group);
    }
    freeifaddrs(all);
}

static bool is_beyond_loopback(const struct config_arena *arena)
{
    union socket_address address;
    return socket_address_parse(arena->address, arena->port, &address) &&
           !socket_address_is_loopback(&address);
}

static bool is_wanted(const struct config *config)
{
    for (int i = 0; i < config->arena_count && config->lan_discovery; i++)
        if (is_beyond_loopback(&config->arenas[i]))
            return true;
    return false;
}

static void answer_some(void *context);
static void end_rest(void *context);

// Waits for requests. Returns false when memory runs out.
static bool listen_to_all(struct lan_discovery *discovery, struct loop *loop)
{
    discovery->rest = loop_add_timer(loop, 0, end_rest, discovery);
    for (int i = 0; i < SOCKETS; i++)
        if (discovery->sockets[i] >= 0)
            discovery->requests[i] =
                loop_add_descriptor(loop, discovery->sockets[i], answer_some, discovery);
    return discovery->rest != NULL &&
           (discovery->requests[0] != NULL || discovery->requests[1] != NULL);
}

struct lan_discovery *lan_discovery_open(struct loop *loop, const struct config *config,
                                         const struct lan_arenas *arenas)
{
    uint64_t secret;
    if (!is_wanted(config))
        return NULL;
    struct lan_discovery *discovery = calloc(1, sizeof *discovery);
    if (discovery == NULL || getrandom(&secret, sizeof secret, 0) != (ssize_t)sizeof secret ||
        getrandom(&discovery->server, sizeof discovery->server, 0) !=
            (ssize_t)sizeof discovery->server) {
        log_warning("LAN discovery off: no memory or random numbers");
        free(discovery);
        return NULL;
    }
    discovery->arenas = *arenas;
    discovery->sockets[1] = open_socket(AF_INET6);
    discovery->sockets[0] = open_socket(AF_INET);
    rate_limit_init(&discovery->limit, RATE_OF_ADDRESS, PER_ADDRESS, OF_ALL, secret);
    if (discovery->sockets[0] < 0 && discovery->sockets[1] < 0) {
        log_warning("LAN discovery off: cannot bind udp port %d: %s", RAIM_DISCOVERY_PORT,
                    strerror(errno));
        free(discovery);
        return NULL;
    }
    if (!listen_to_all(discovery, loop)) {
        log_warning("LAN discovery off: out of memory");
        lan_discovery_close(discovery);
        return NULL;
    }
    if (discovery->sockets[1] >= 0)
        join_groups(discovery->sockets[1]);
    discovery->counts.is_on = true;
    log_info("LAN discovery started port=%d", RAIM_DISCOVERY_PORT);
    return discovery;
}

void lan_discovery_close(struct lan_discovery *discovery)
{
    if (discovery == NULL)
        return;
    loop_remove(discovery->rest);
    for (int i = 0; i < SOCKETS; i++) {
        loop_remove(discovery->requests[i]);
        if (discovery->sockets[i] >= 0)
            close(discovery->sockets[i]);
    }
    free(discovery);
}

// --- Answers ---

struct request {
    uint8_t data[DATAGRAM_BYTES];
    size_t size;
    union socket_address from;
    int hops; // left; 0: unknown
};

// Returns false if nothing waits.
static bool receive(int socket, struct request *request)
{
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = request->data, .iov_len = sizeof request->data};
    struct msghdr message = {
        .msg_name = &request->from,
        .msg_namelen = sizeof request->from,
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    const ssize_t size = recvmsg(socket, &message, 0);
    if (size < 0)
        return false;
    request->size = (size_t)size;
    request->hops = 0;
    for (struct cmsghdr *one = CMSG_FIRSTHDR(&message); one != NULL;
         one = CMSG_NXTHDR(&message, one))
        if ((one->cmsg_level == IPPROTO_IP && one->cmsg_type == IP_TTL) ||
            (one->cmsg_level == IPPROTO_IPV6 && one->cmsg_type == IPV6_HOPLIMIT))
            memcpy(&request->hops, CMSG_DATA(one), sizeof request->hops);
    return true;
}

// Whether a client of this family can find and ask an arena.
static bool is_found(const struct config_arena *config, bool is_ipv6)
{
    const bool has_ipv6 = strchr(config->address, ':') != NULL;
    const bool is_of_both = strcmp(config->address, "::") == 0;
    return !config->is_on_demand && config->queries && is_beyond_loopback(config) &&
           (is_of_both || has_ipv6 == is_ipv6);
}

static void answer(struct lan_discovery *discovery, int socket, const struct request *request,
                   uint64_t nonce)
{
    const struct lan_arenas *arenas = &discovery->arenas;
    uint16_t port;
    uint8_t bytes[RAIM_DISCOVERY_BYTES];
    struct raim_discovery found = {.nonce = nonce, .server = discovery->server};
    const bool is_ipv6 = request->from.any.sa_family == AF_INET6;
    for (int i = 0; found.count < RAIM_DISCOVERY_MAX; i++) {
        const struct config_arena *arena = arenas->find(arenas->context, i, &port);
        if (arena == NULL)
            break;
        if (is_found(arena, is_ipv6))
            found.ports[found.count++] = port;
    }
    if (found.count > 0 && sendto(socket, bytes, raim_discovery_write(&found, bytes), MSG_DONTWAIT,
                                  &request->from.any, socket_address_size(&request->from)) > 0)
        discovery->counts.answered++;
}

static void judge(struct lan_discovery *discovery, int socket, const struct request *request)
{
    uint64_t nonce;
    if (request->hops != RAIM_DISCOVERY_HOPS ||
        !raim_discovery_read_request(request->data, request->size, &nonce))
        discovery->counts.rejected++;
    else if (!rate_limit_take(&discovery->limit, socket_udp_read(&request->from.any).ip,
                              (int64_t)monotonic_ms()))
        discovery->counts.limited++;
    else
        answer(discovery, socket, request, nonce);
}

static void set_reading(const struct lan_discovery *discovery, bool is_on)
{
    for (int i = 0; i < SOCKETS; i++)
        if (discovery->requests[i] != NULL)
            loop_set_descriptor(discovery->requests[i], is_on);
}

static void end_rest(void *context)
{
    set_reading(context, true);
}

static void answer_some(void *context)
{
    struct lan_discovery *discovery = context;
    struct request request;
    int taken = 0;
    for (int i = 0; i < SOCKETS; i++)
        while (discovery->sockets[i] >= 0 && taken < MAX_DATAGRAMS &&
               receive(discovery->sockets[i], &request)) {
            judge(discovery, discovery->sockets[i], &request);
            taken++;
        }
    if (taken < MAX_DATAGRAMS)
        return;
    set_reading(discovery, false);
    loop_set_timer(discovery->rest, monotonic_ms() + REST_MS);
}
