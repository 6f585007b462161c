// SPDX-License-Identifier: MIT
// The sockets, the networks of this machine and the names of hosts, for a finder of servers.
#define _GNU_SOURCE
#include "browser.h"

#include "discovery.h"
#include "happy_eyeballs.h"
#include "internet.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { DATAGRAM_BYTES = 1500, DATAGRAMS_A_CALL = 64, FAMILIES = 2, MAX_NETWORKS = 64 };

// The row of a server of the finder with the same index.
struct server {
    struct browser_row row;
    bool is_named, is_shown;
    struct raim_resolver *resolver; // NULL: resolved, or it has no name
};

// An address of this machine and its network.
struct network {
    struct raim_address own;
    uint8_t mask[16];
};

struct browser {
    int sockets[FAMILIES]; // IPv4, IPv6; -1: none
    struct raim_finder *finder;
    struct raim_resolver *masters[RAIM_FINDER_MASTERS]; // NULL: resolved
    int master_count, network_count;
    struct network networks[MAX_NETWORKS];
    struct server servers[RAIM_FINDER_SERVERS];
    int shown_count;
    int shown[RAIM_FINDER_SERVERS]; // indices of servers
};

static int open_socket(int family)
{
    const int yes = 1, hops = RAIM_DISCOVERY_HOPS;
    const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && family == AF_INET) {
        setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
        setsockopt(descriptor, IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    } else if (descriptor >= 0) {
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof hops);
    }
    return descriptor;
}

// What the kernel rejects is as what was lost.
static void send_to(const struct browser *browser, const struct raim_address *to,
                    const struct raim_finder_datagram *datagram)
{
    struct sockaddr_storage address;
    const socklen_t size = (socklen_t)raim_internet_write(to, &address);
    const int descriptor = browser->sockets[to->is_ipv6];
    if (descriptor >= 0)
        (void)sendto(descriptor, datagram->bytes, datagram->size, 0,
                     (const struct sockaddr *)&address, size);
}

// Sends a datagram to everybody on the links of all interfaces.
static void send_to_all(const struct browser *browser, const struct raim_finder_datagram *datagram)
{
    struct ifaddrs *all = NULL;
    const bool is_ipv6 = datagram->to == RAIM_FINDER_TO_MULTICAST;
    struct raim_address to = datagram->address, one_to;
    if (is_ipv6)
        inet_pton(AF_INET6, RAIM_DISCOVERY_GROUP, to.bytes);
    else
        memset(to.bytes, 0xFF, 4);
    if (!is_ipv6)
        send_to(browser, &to, datagram);
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        if (one->ifa_addr == NULL || !raim_internet_read(one->ifa_addr, &one_to) ||
            one_to.is_ipv6 != is_ipv6)
            continue;
        to.scope = if_nametoindex(one->ifa_name);
        if (is_ipv6 && (one->ifa_flags & IFF_MULTICAST) != 0) {
            send_to(browser, &to, datagram);
        } else if (!is_ipv6 && (one->ifa_flags & IFF_BROADCAST) != 0 &&
                   one->ifa_broadaddr != NULL && raim_internet_read(one->ifa_broadaddr, &one_to)) {
            one_to.port = to.port;
            send_to(browser, &one_to, datagram);
        }
    }
    freeifaddrs(all);
}

// Lists the networks of this machine anew.
static void list_networks(struct browser *browser)
{
    struct ifaddrs *all = NULL;
    struct raim_address mask;
    if (getifaddrs(&all) != 0)
        return;
    browser->network_count = 0;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        struct network *network = &browser->networks[browser->network_count];
        if (one->ifa_addr == NULL || one->ifa_netmask == NULL ||
            browser->network_count == MAX_NETWORKS ||
            !raim_internet_read(one->ifa_addr, &network->own) ||
            !raim_internet_read(one->ifa_netmask, &mask))
            continue;
        memcpy(network->mask, mask.bytes, sizeof network->mask);
        browser->network_count++;
    }
    freeifaddrs(all);
}

static void send_datagram(void *context, const struct raim_finder_datagram *datagram)
{
    struct browser *browser = context;
    if (datagram->to == RAIM_FINDER_TO_ADDRESS) {
        send_to(browser, &datagram->address, datagram);
        return;
    }
    if (datagram->address.port == RAIM_DISCOVERY_PORT)
        list_networks(browser);
    send_to_all(browser, datagram);
}

static enum raim_finder_place place_of(const struct browser *browser,
                                       const struct raim_address *from)
{
    enum raim_finder_place place = RAIM_FINDER_BEYOND;
    for (int i = 0; i < browser->network_count; i++) {
        const struct network *network = &browser->networks[i];
        bool is_within = network->own.is_ipv6 == from->is_ipv6;
        if (raim_address_is_same_host(&network->own, from))
            return RAIM_FINDER_OWN;
        for (int j = 0; j < (from->is_ipv6 ? 16 : 4); j++)
            is_within =
                is_within && ((network->own.bytes[j] ^ from->bytes[j]) & network->mask[j]) == 0;
        if (is_within)
            place = RAIM_FINDER_NEIGHBOUR;
    }
    return place;
}

static void receive(struct browser *browser, int descriptor, double now_s)
{
    uint8_t data[DATAGRAM_BYTES];
    struct raim_address address;
    for (int i = 0; i < DATAGRAMS_A_CALL; i++) {
        struct sockaddr_storage from = {.ss_family = AF_UNSPEC};
        socklen_t length = sizeof from;
        const ssize_t size =
            recvfrom(descriptor, data, sizeof data, 0, (struct sockaddr *)&from, &length);
        if (size < 0)
            return;
        if (raim_internet_read((const struct sockaddr *)&from, &address))
            raim_finder_take(browser->finder, &address, place_of(browser, &address), data,
                             (size_t)size, now_s);
    }
}

struct browser *browser_open(void)
{
    struct browser *browser = calloc(1, sizeof *browser);
    struct raim_finder_def def = {.has_network = true, .send = send_datagram, .context = browser};
    if (browser == NULL)
        return NULL;
    browser->sockets[0] = open_socket(AF_INET);
    browser->sockets[1] = open_socket(AF_INET6);
    if ((browser->sockets[0] >= 0 || browser->sockets[1] >= 0) &&
        getrandom(&def.nonce, sizeof def.nonce, 0) == (ssize_t)sizeof def.nonce)
        browser->finder = raim_finder_create(&def);
    if (browser->finder != NULL)
        return browser;
    browser_close(browser);
    return NULL;
}

void browser_close(struct browser *browser)
{
    if (browser == NULL)
        return;
    for (int i = 0; i < RAIM_FINDER_SERVERS; i++)
        raim_resolver_destroy(browser->servers[i].resolver);
    for (int i = 0; i < browser->master_count; i++)
        raim_resolver_destroy(browser->masters[i]);
    for (int i = 0; i < FAMILIES; i++)
        if (browser->sockets[i] >= 0)
            close(browser->sockets[i]);
    raim_finder_destroy(browser->finder);
    free(browser);
}

// Shows a server from now on, below the others.
static void show(struct browser *browser, int index)
{
    struct server *server = &browser->servers[index];
    if (server->is_shown)
        return;
    server->is_shown = true;
    server->row.found = raim_finder_at(browser->finder, index);
    browser->shown[browser->shown_count++] = index;
}

static int find(const struct browser *browser, const char *address)
{
    for (int i = 0; i < raim_finder_count(browser->finder); i++)
        if (strcmp(browser->servers[i].row.address, address) == 0)
            return i;
    return -1;
}

static struct raim_resolver *begin_to_resolve(const char *host, uint16_t port)
{
    struct raim_resolver *resolver = raim_resolver_create(host, port);
    if (resolver != NULL)
        raim_resolver_start(resolver);
    return resolver;
}

void browser_add(struct browser *browser, const struct server_address *address, bool listed)
{
    char text[SERVER_ADDRESS_BYTES];
    server_address_write(address, text);
    int index = find(browser, text);
    if (index < 0) {
        index = raim_finder_add(browser->finder, NULL, 0);
        if (index < 0)
            return;
        struct server *server = &browser->servers[index];
        server->is_named = true;
        memcpy(server->row.address, text, sizeof text);
        server->resolver = begin_to_resolve(address->host, address->port);
        server->row.is_unknown = server->resolver == NULL;
    }
    raim_finder_keep(browser->finder, index);
    if (listed)
        show(browser, index);
}

void browser_scan(struct browser *browser, const char *host)
{
    struct server_address address = {.port = RAIM_FINDER_PORT};
    memcpy(address.host, host, strnlen(host, sizeof address.host - 1));
    for (int i = 0; i < RAIM_FINDER_PORTS; i++, address.port++)
        browser_add(browser, &address, false);
}

void browser_add_master(struct browser *browser, const struct server_address *master)
{
    if (browser->master_count < RAIM_FINDER_MASTERS)
        browser->masters[browser->master_count++] = begin_to_resolve(master->host, master->port);
}

// Takes the addresses of a name. Returns whether it is resolved, or cannot be.
static bool resolve(struct raim_resolver **resolver, struct raim_address *addresses,
                    uint32_t *count)
{
    *count = 0;
    if (*resolver == NULL ||
        raim_resolver_take(*resolver, addresses, count) == RAIM_RESOLVER_RUNNING)
        return false;
    raim_resolver_destroy(*resolver);
    *resolver = NULL;
    return true;
}

static void resolve_all(struct browser *browser)
{
    struct raim_address addresses[RAIM_RESOLVER_ADDRESSES];
    uint32_t count;
    for (int i = 0; i < browser->master_count; i++)
        if (resolve(&browser->masters[i], addresses, &count) && count > 0)
            raim_finder_add_master(browser->finder, addresses, count);
    for (int i = 0; i < raim_finder_count(browser->finder); i++) {
        if (!resolve(&browser->servers[i].resolver, addresses, &count))
            continue;
        browser->servers[i].row.is_unknown = count == 0;
        raim_finder_resolve(browser->finder, i, addresses, count);
    }
}

// Shows what has answered for the first time.
static void show_found(struct browser *browser)
{
    for (int i = 0; i < raim_finder_count(browser->finder); i++) {
        struct server *server = &browser->servers[i];
        const struct raim_finder_row *row = raim_finder_at(browser->finder, i);
        if (server->is_shown || row->answer_count == 0)
            continue;
        if (!server->is_named) {
            struct server_address address = {.port = row->addresses[0].port};
            struct sockaddr_storage at;
            const socklen_t size = (socklen_t)raim_internet_write(&row->addresses[0], &at);
            if (getnameinfo((const struct sockaddr *)&at, size, address.host, sizeof address.host,
                            NULL, 0, NI_NUMERICHOST) != 0)
                continue;
            server_address_write(&address, server->row.address);
        }
        show(browser, i);
    }
}

void browser_update(struct browser *browser, double now_s)
{
    for (int i = 0; i < FAMILIES; i++)
        if (browser->sockets[i] >= 0)
            receive(browser, browser->sockets[i], now_s);
    resolve_all(browser);
    raim_finder_update(browser->finder, now_s);
    show_found(browser);
}

int browser_count(const struct browser *browser)
{
    return browser->shown_count;
}

const struct browser_row *browser_at(const struct browser *browser, int index)
{
    if (index < 0 || index >= browser->shown_count)
        return NULL;
    return &browser->servers[browser->shown[index]].row;
}

const char *browser_words(void)
{
    return "Looking for servers on this machine and its network. None has answered yet: start one "
           "with raimd --demo, or type an address above.";
}
