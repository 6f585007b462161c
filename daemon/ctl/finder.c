// SPDX-License-Identifier: MIT
// Sends the requests that are due and reads the answers, until everybody has answered.
#define _GNU_SOURCE
#include "finder.h"

#include "discovery.h"
#include "master_list.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    FAMILIES = 2,
    MOST_MASTERS = 16,
    MOST_HOSTS = 64, // that may answer a discovery of this machine's
    DEFAULT_PORT = 7246,
    LOCAL_PORTS = 8, // asked on loopback, whose arenas answer no discovery
    DATAGRAM_BYTES = 2048,
    ASK_MS = 500,     // between two requests to one address
    ASKS = 3,         // requests to one address
    PER_ROUND = 32,   // queries sent at once, so that none is lost on the way out
    LISTEN_MS = 1200, // for answers of the local network
    TICK_MS = 10,
};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct target {
    struct finder_row row;
    union address address;
    uint32_t challenge;
    bool was_challenged; // since it was asked
    int asks;
    double next_ms, asked_ms;
};

struct master {
    union address addresses[FAMILIES];
    int address_count, asks;
    double next_ms;
    bool has_answered;
};

struct finder {
    int sockets[FAMILIES]; // IPv4, IPv6; -1: none
    uint64_t nonce;
    bool has_network;
    int discovery_asks, host_count, master_count, count;
    double discovery_ms;
    union address hosts[MOST_HOSTS]; // asked for their ports one by one
    struct master masters[MOST_MASTERS];
    struct target targets[FINDER_MOST];
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// --- Addresses and sockets ---

static socklen_t size_of(const union address *address)
{
    return address->any.sa_family == AF_INET ? sizeof address->v4 : sizeof address->v6;
}

static void set_port(union address *address, uint16_t port)
{
    if (address->any.sa_family == AF_INET)
        address->v4.sin_port = htons(port);
    else
        address->v6.sin6_port = htons(port);
}

static uint16_t port_of(const union address *address)
{
    return ntohs(address->any.sa_family == AF_INET ? address->v4.sin_port : address->v6.sin6_port);
}

static bool is_same_host(const union address *a, const union address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    if (a->any.sa_family == AF_INET)
        return a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
    return memcmp(&a->v6.sin6_addr, &b->v6.sin6_addr, sizeof a->v6.sin6_addr) == 0;
}

static bool is_same(const union address *a, const union address *b)
{
    return is_same_host(a, b) && port_of(a) == port_of(b);
}

static void print(const union address *address, char text[FINDER_ADDRESS_BYTES])
{
    char host[64] = "?";
    getnameinfo(&address->any, size_of(address), host, sizeof host, NULL, 0, NI_NUMERICHOST);
    snprintf(text, FINDER_ADDRESS_BYTES, address->any.sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u",
             host, port_of(address));
}

static int open_socket(int family)
{
    const int yes = 1, hops = RAIM_DISCOVERY_HOPS;
    const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    if (family == AF_INET) {
        setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
        setsockopt(descriptor, IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    } else {
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof hops);
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops);
    }
    return descriptor;
}

static void send_to(const struct finder *finder, const union address *to, const uint8_t *data,
                    size_t size)
{
    const int descriptor = finder->sockets[to->any.sa_family == AF_INET ? 0 : 1];
    // What the kernel refuses is as what was lost.
    if (descriptor >= 0)
        (void)sendto(descriptor, data, size, 0, &to->any, size_of(to));
}

struct finder *finder_open(void)
{
    struct finder *finder = calloc(1, sizeof *finder);
    if (finder == NULL)
        return NULL;
    finder->sockets[0] = open_socket(AF_INET);
    finder->sockets[1] = open_socket(AF_INET6);
    if ((finder->sockets[0] >= 0 || finder->sockets[1] >= 0) &&
        getrandom(&finder->nonce, sizeof finder->nonce, 0) == (ssize_t)sizeof finder->nonce)
        return finder;
    finder_close(finder);
    return NULL;
}

void finder_close(struct finder *finder)
{
    if (finder == NULL)
        return;
    for (int i = 0; i < FAMILIES; i++)
        if (finder->sockets[i] >= 0)
            close(finder->sockets[i]);
    free(finder);
}

// --- What to ask ---

static struct target *find(struct finder *finder, const union address *address)
{
    for (int i = 0; i < finder->count; i++)
        if (is_same(&finder->targets[i].address, address))
            return &finder->targets[i];
    return NULL;
}

static struct target *add(struct finder *finder, const union address *address)
{
    struct target *target = find(finder, address);
    if (target != NULL || finder->count == FINDER_MOST)
        return target;
    target = &finder->targets[finder->count++];
    *target = (struct target){.address = *address, .row.port = port_of(address)};
    print(address, target->row.address);
    return target;
}

// Splits HOST, HOST:PORT, [IPV6] or [IPV6]:PORT and resolves the host. Returns the number of
// addresses, of each family one.
static int resolve(const char *text, uint16_t default_port, union address found[FAMILIES],
                   bool *has_port)
{
    char host[256], port[6];
    const char *behind = text[0] == '[' ? strchr(text, ']') : NULL;
    const bool has_brackets = behind != NULL;
    const size_t length = has_brackets ? (size_t)(behind - text - 1) : strcspn(text, ":");
    const char *rest = text + length + (has_brackets ? 2 : 0);
    *has_port = rest[0] == ':';
    if (length == 0 || length >= sizeof host || (rest[0] != '\0' && rest[0] != ':') ||
        (*has_port && (strlen(rest + 1) > 5 || rest[1 + strspn(rest + 1, "0123456789")] != '\0' ||
                       atoi(rest + 1) < 1 || atoi(rest + 1) > UINT16_MAX)))
        return 0;
    snprintf(host, sizeof host, "%.*s", (int)length, text + has_brackets);
    snprintf(port, sizeof port, "%u", *has_port ? (unsigned)atoi(rest + 1) : default_port);
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *all = NULL;
    int count = 0;
    if (getaddrinfo(host, port, &hints, &all) != 0)
        return 0;
    for (const struct addrinfo *one = all; one != NULL && count < FAMILIES; one = one->ai_next)
        if ((one->ai_family == AF_INET || one->ai_family == AF_INET6) &&
            (count == 0 || found[0].any.sa_family != one->ai_family))
            memcpy(&found[count++], one->ai_addr, one->ai_addrlen);
    freeaddrinfo(all);
    return count;
}

bool finder_add_host(struct finder *finder, const char *text)
{
    union address found[FAMILIES];
    bool has_port;
    const int count = resolve(text, DEFAULT_PORT, found, &has_port);
    for (int i = 0; i < count; i++) {
        struct target *target = add(finder, &found[i]);
        // Of a name with two addresses, the first is shown if neither answers.
        if (target != NULL)
            target->row.is_wanted = i == 0;
        if (!has_port && finder->host_count < MOST_HOSTS) {
            set_port(&found[i], RAIM_DISCOVERY_PORT);
            finder->hosts[finder->host_count++] = found[i];
        }
    }
    return count > 0;
}

bool finder_add_master(struct finder *finder, const char *text)
{
    bool has_port;
    if (finder->master_count == MOST_MASTERS)
        return false;
    struct master *master = &finder->masters[finder->master_count];
    *master = (struct master){.next_ms = 0};
    master->address_count = resolve(text, RAIM_MASTER_PORT, master->addresses, &has_port);
    finder->master_count += master->address_count > 0;
    return master->address_count > 0;
}

void finder_add_network(struct finder *finder)
{
    finder->has_network = true;
    for (uint16_t port = DEFAULT_PORT; port < DEFAULT_PORT + LOCAL_PORTS; port++) {
        const union address local = {.v4 = {.sin_family = AF_INET,
                                            .sin_port = htons(port),
                                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
        add(finder, &local);
    }
}

// --- Requests ---

static void send_discovery(struct finder *finder)
{
    uint8_t request[RAIM_DISCOVERY_BYTES];
    struct ifaddrs *all = NULL;
    raim_discovery_write_request(finder->nonce, request);
    for (int i = 0; i < finder->host_count; i++)
        send_to(finder, &finder->hosts[i], request, sizeof request);
    if (!finder->has_network || getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        union address to = {.any = {.sa_family = AF_UNSPEC}};
        if (one->ifa_addr == NULL || (one->ifa_flags & IFF_UP) == 0)
            continue;
        if (one->ifa_addr->sa_family == AF_INET && (one->ifa_flags & IFF_BROADCAST) != 0 &&
            one->ifa_broadaddr != NULL) {
            memcpy(&to.v4, one->ifa_broadaddr, sizeof to.v4);
        } else if (one->ifa_addr->sa_family == AF_INET6 && (one->ifa_flags & IFF_MULTICAST) != 0) {
            to.v6.sin6_family = AF_INET6;
            inet_pton(AF_INET6, RAIM_DISCOVERY_GROUP, &to.v6.sin6_addr);
            to.v6.sin6_scope_id = if_nametoindex(one->ifa_name);
        } else {
            continue;
        }
        set_port(&to, RAIM_DISCOVERY_PORT);
        send_to(finder, &to, request, sizeof request);
    }
    freeifaddrs(all);
}

static void ask_masters(struct finder *finder, double now)
{
    uint8_t request[RAIM_MASTER_REQUEST_BYTES];
    const size_t size = raim_master_list_write_request(request);
    for (int i = 0; i < finder->master_count; i++) {
        struct master *master = &finder->masters[i];
        if (master->has_answered || master->asks == ASKS || now < master->next_ms)
            continue;
        master->asks++;
        master->next_ms = now + ASK_MS;
        for (int j = 0; j < master->address_count; j++)
            send_to(finder, &master->addresses[j], request, size);
    }
}

static void query(struct finder *finder, struct target *target, double now)
{
    uint8_t request[RAIM_SERVER_INFO_REQUEST_BYTES];
    target->asked_ms = now;
    send_to(finder, &target->address, request,
            raim_server_info_write_request(target->challenge, request));
}

static void ask_targets(struct finder *finder, double now)
{
    int sent = 0;
    for (int i = 0; i < finder->count && sent < PER_ROUND; i++) {
        struct target *target = &finder->targets[i];
        if (target->row.answers || target->asks == ASKS || now < target->next_ms)
            continue;
        target->asks++;
        target->next_ms = now + ASK_MS;
        target->was_challenged = false;
        query(finder, target, now);
        sent++;
    }
}

// --- Answers ---

// A discovery is answered from its port, by a host that was asked alone or by anyone near.
static void take_discovery(struct finder *finder, const union address *from,
                           const struct raim_discovery *found)
{
    bool was_asked = finder->has_network;
    for (int i = 0; i < finder->host_count; i++)
        was_asked = was_asked || is_same_host(&finder->hosts[i], from);
    if (!was_asked || found->nonce != finder->nonce || port_of(from) != RAIM_DISCOVERY_PORT)
        return;
    for (int i = 0; i < found->count; i++) {
        union address address = *from;
        set_port(&address, found->ports[i]);
        struct target *target = add(finder, &address);
        if (target != NULL)
            target->row.server = found->server;
    }
}

static void take_list(struct finder *finder, const union address *from,
                      const struct raim_master_list *list)
{
    struct master *master = NULL;
    for (int i = 0; i < finder->master_count; i++)
        for (int j = 0; j < finder->masters[i].address_count; j++)
            if (is_same(&finder->masters[i].addresses[j], from))
                master = &finder->masters[i];
    if (master == NULL)
        return;
    master->has_answered = true;
    for (int i = 0; i < list->count; i++) {
        const struct raim_master_entry *entry = &list->entries[i];
        union address address = {.any = {.sa_family = entry->is_ipv6 ? AF_INET6 : AF_INET}};
        if (entry->is_ipv6)
            memcpy(&address.v6.sin6_addr, entry->address, 16);
        else
            memcpy(&address.v4.sin_addr, entry->address, 4);
        set_port(&address, entry->port);
        add(finder, &address);
    }
}

static void take_info(struct finder *finder, const union address *from, const uint8_t *data,
                      size_t size, double now)
{
    struct target *target = find(finder, from);
    struct raim_server_info info;
    uint32_t challenge;
    if (target == NULL || target->asks == 0 || target->row.answers)
        return;
    switch (raim_server_info_read(data, size, &challenge, &info)) {
    case RAIM_SERVER_INFO_ANSWER:
        target->row.info = info;
        target->row.ping_ms = now - target->asked_ms;
        target->row.answers = true;
        break;
    case RAIM_SERVER_INFO_CHALLENGE:
        if (target->was_challenged)
            break; // one query more, and no endless exchange
        target->was_challenged = true;
        target->challenge = challenge;
        query(finder, target, now);
        break;
    case RAIM_SERVER_INFO_OTHER:
        break;
    }
}

static void receive(struct finder *finder, int descriptor)
{
    uint8_t data[DATAGRAM_BYTES];
    union address from = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t length = sizeof from;
    struct raim_discovery found;
    struct raim_master_list list;
    ssize_t size;
    while ((size = recvfrom(descriptor, data, sizeof data, 0, &from.any, &length)) >= 0) {
        if (raim_discovery_read(data, (size_t)size, &found))
            take_discovery(finder, &from, &found);
        else if (raim_master_list_read(data, (size_t)size, &list))
            take_list(finder, &from, &list);
        else
            take_info(finder, &from, data, (size_t)size, now_ms());
        length = sizeof from;
    }
}

// Whether something was asked that may still be answered.
static bool is_waiting(const struct finder *finder, double now, double begin)
{
    if ((finder->has_network || finder->host_count > 0) && now < begin + LISTEN_MS)
        return true;
    for (int i = 0; i < finder->master_count; i++)
        if (!finder->masters[i].has_answered &&
            (finder->masters[i].asks < ASKS || now < finder->masters[i].next_ms))
            return true;
    for (int i = 0; i < finder->count; i++)
        if (!finder->targets[i].row.answers &&
            (finder->targets[i].asks < ASKS || now < finder->targets[i].next_ms))
            return true;
    return false;
}

void finder_run(struct finder *finder, int timeout_ms)
{
    const double begin = now_ms();
    double now = begin;
    for (; now < begin + timeout_ms && is_waiting(finder, now, begin); now = now_ms()) {
        if (finder->discovery_asks < 2 && now >= finder->discovery_ms) {
            send_discovery(finder);
            finder->discovery_asks++;
            finder->discovery_ms = now + ASK_MS;
        }
        ask_masters(finder, now);
        ask_targets(finder, now);
        struct pollfd waits[FAMILIES];
        for (int i = 0; i < FAMILIES; i++)
            waits[i] = (struct pollfd){.fd = finder->sockets[i], .events = POLLIN};
        poll(waits, FAMILIES, TICK_MS);
        for (int i = 0; i < FAMILIES; i++)
            if (finder->sockets[i] >= 0)
                receive(finder, finder->sockets[i]);
    }
}

// --- What was found ---

int finder_count(const struct finder *finder)
{
    return finder->count;
}

// Of the addresses of an arena, the first of IPv4 is shown, or else the first.
static int rank(const struct finder *finder, int index)
{
    return index + (finder->targets[index].address.any.sa_family == AF_INET ? 0 : FINDER_MOST);
}

static bool is_double(const struct finder *finder, int index)
{
    const struct target *target = &finder->targets[index];
    const struct finder_row *row = &target->row;
    const bool is_local = target->address.any.sa_family == AF_INET &&
                          target->address.v4.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
    for (int i = 0; i < finder->count; i++) {
        const struct finder_row *other = &finder->targets[i].row;
        if (is_local && row->server == 0 && other->server != 0 && other->answers &&
            other->port == row->port && strcmp(other->info.name, row->info.name) == 0)
            return true; // an arena of all addresses
        if (row->server != 0 && other->server == row->server && other->port == row->port &&
            other->answers && rank(finder, i) < rank(finder, index))
            return true;
    }
    return false;
}

const struct finder_row *finder_at(const struct finder *finder, int index)
{
    const struct finder_row *row = &finder->targets[index].row;
    const bool is_shown = row->answers ? !is_double(finder, index) : row->is_wanted;
    return is_shown ? row : NULL;
}

bool finder_has_all_lists(const struct finder *finder)
{
    for (int i = 0; i < finder->master_count; i++)
        if (!finder->masters[i].has_answered)
            return false;
    return true;
}
